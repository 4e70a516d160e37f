/** Loads the plugins' scripts, one after the other, and shows the app when each is there or has failed. */
import { ApolloProvider } from "@apollo/client";
import React from "react";
import ReactDOM from "react-dom";
import { IntlProvider } from "react-intl";
import { BrowserRouter } from "react-router-dom";
import { App } from "./app";
import { base, getClient } from "./client";
import { pluginApi } from "./plugin_api";
import { ToastProvider } from "./toast";

interface PluginFiles {
  id: string;
  javascript: string | null;
  css: string | null;
}

declare global {
  interface Window {
    stashPlugins: PluginFiles[];
  }
}

Object.assign(window, { PluginApi: pluginApi });

function loadScript(address: string): Promise<void> {
  return new Promise((resolve) => {
    const script = document.createElement("script");
    script.async = false;
    script.src = address;
    script.onload = script.onerror = () => resolve();
    document.body.appendChild(script);
  });
}

function loadStyle(address: string): void {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  document.head.appendChild(link);
}

async function start(): Promise<void> {
  const plugins = window.stashPlugins;
  for (const { css } of plugins) if (css) loadStyle(css);
  // Without requirements among them, Stash loads plugins in the reverse order of its listing.
  await Promise.all([...plugins].reverse().flatMap(({ javascript }) => (javascript ? [loadScript(javascript)] : [])));
  ReactDOM.render(
    <BrowserRouter basename={new URL(base).pathname.replace(/\/$/, "")}>
      <ApolloProvider client={getClient()}>
        <IntlProvider locale="en-GB" messages={{}} onError={() => undefined}>
          <ToastProvider>
            <App plugins={plugins.map(({ id }) => id)} />
          </ToastProvider>
        </IntlProvider>
      </ApolloProvider>
    </BrowserRouter>,
    document.getElementById("root"),
  );
}

void start();
