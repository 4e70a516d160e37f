/** The app around the pages: bar, routes, and where plugins hang in. */
import { useQuery } from "@apollo/client";
import React, { useEffect, type ReactNode } from "react";
import { Nav, Navbar } from "react-bootstrap";
import { Link, Route, Switch, useLocation } from "react-router-dom";
import { ScenePage, ScenesPage, SettingsPage } from "./pages";
import { patchable } from "./patch";
import { PluginRoutes, events } from "./plugin_api";
import { ConfigurationDocument } from "./queries";

interface Items {
  children?: ReactNode;
}

const MenuItems = patchable<Items>("MainNavBar.MenuItems", ({ children }) => <Nav>{children}</Nav>);
const UtilityItems = patchable<Items>("MainNavBar.UtilityItems", ({ children }) => <>{children}</>);

function utilities() {
  return (
    <UtilityItems>
      <Link className="nav-utility minimal btn" to="/settings" title="Settings">
        Settings
      </Link>
    </UtilityItems>
  );
}

/** The utilities are there twice: beside the folded menu of a small window, and at the end of a wide one. */
function Bar() {
  return (
    <Navbar fixed="top" variant="dark" className="top-nav" expand="xl">
      <div className="navbar-brand mr-auto">
        <MenuItems>
          <Nav.Link as={Link} to="/scenes" className="text-reset">
            Scenes
          </Nav.Link>
        </MenuItems>
      </div>
      <div className="d-flex d-xl-none">{utilities()}</div>
      <div className="d-none d-xl-flex">{utilities()}</div>
    </Navbar>
  );
}

export const App = patchable<{ plugins: string[] }>("App", ({ plugins }) => {
  const location = useLocation();
  useQuery(ConfigurationDocument);
  useEffect(() => {
    events.dispatchEvent(new CustomEvent("stash:location", { detail: { data: { location } } }));
  }, [location]);
  return (
    <>
      <Bar />
      <main className="main container-fluid">
        <Switch>
          <Route exact path="/" component={ScenesPage} />
          <Route path="/scenes/:id">
            <ScenePage />
          </Route>
          <Route path="/scenes" component={ScenesPage} />
          <Route path="/settings">
            <SettingsPage plugins={plugins} />
          </Route>
          <PluginRoutes />
          <Route>
            <h1>404</h1>
          </Route>
        </Switch>
      </main>
    </>
  );
});
