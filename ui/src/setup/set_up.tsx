/** From nothing to a synced library in three steps: servers, test, a look at ten scenes. */
import React, { useEffect, useRef, useState } from "react";
import { Link, useHistory, useLocation } from "react-router-dom";
import type { SettingsSchema, Status } from "../api/answers";
import { useAnswer } from "../api/hooks";
import { ask } from "../api/operations";
import { statusStore } from "../api/status_store";
import { Shown } from "../parts/states";
import { ROUTE } from "../stash/plugin_api";
import { setupTexts } from "../texts";
import { PreviewStep } from "./preview_step";
import { ServersStep } from "./servers_step";
import { TestStep } from "./test_step";

type Step = 1 | 2 | 3;

/** How the page leads here by itself: the status knew of no server. */
export const UNASKED = { unasked: true };

export function SetUp({ status }: { status: Status | null }) {
  const [step, setStep] = useState<Step>(1);
  const wasTouched = useRef(false);
  const touch = () => {
    wasTouched.current = true;
  };
  const schema = useAnswer("settings_schema", (signal) => ask<SettingsSchema>("settings_schema", {}, signal));
  useWayBack(status, schema.value, wasTouched);
  return (
    <section className="s2p-setup" aria-label={setupTexts.title} onInput={touch} onClick={touch}>
      <header className="s2p-card-head">
        <h2>{setupTexts.title}</h2>
        <span className="text-muted">{setupTexts.step(step)}</span>
      </header>
      <ol className="s2p-steps" aria-hidden="true">
        {[1, 2, 3].map((one) => (
          <li key={one} className={one <= step ? "s2p-reached" : undefined} />
        ))}
      </ol>
      <Shown answer={schema}>
        {(value) =>
          step === 1 ? (
            <ServersStep
              settings={value.groups.flatMap((group) => group.settings)}
              done={() => {
                schema.again();
                setStep(2);
              }}
            />
          ) : step === 2 ? (
            <TestStep back={() => setStep(1)} done={() => setStep(3)} />
          ) : (
            <PreviewStep back={() => setStep(2)} />
          )
        }
      </Shown>
      <p>
        <Link className="s2p-link" to={`${ROUTE}/settings`}>
          {setupTexts.skip}
        </Link>
      </p>
    </section>
  );
}

/**
 * Back to the overview where all is set up already: somebody typed the settings into Stash, and no worker had read them yet when
 * the status was asked. Reading them here lets the next status know. Who has begun to set up is left alone.
 */
function useWayBack(status: Status | null, schema: SettingsSchema | null, wasTouched: { current: boolean }): void {
  const history = useHistory();
  const { state } = useLocation<{ unasked?: boolean } | undefined>();
  const isUnasked = state?.unasked === true;
  const isRead = schema !== null;
  useEffect(() => {
    if (isUnasked && isRead) statusStore.refresh();
  }, [isUnasked, isRead]);
  const isSetUp = status?.is_set_up === true;
  useEffect(() => {
    if (isUnasked && isSetUp && !wasTouched.current) history.replace(ROUTE);
  }, [isUnasked, isSetUp, wasTouched, history]);
}
