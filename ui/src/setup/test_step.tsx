/** Step two: each line is fine, or says what to do. */
import React from "react";
import type { Health } from "../api/answers";
import { useAnswer } from "../api/hooks";
import { ask } from "../api/operations";
import { Press } from "../parts/press";
import { Shown } from "../parts/states";
import { Findings } from "../settings/connection_tester";
import { setupTexts } from "../texts";

export function TestStep({ back, done }: { back: () => void; done: () => void }) {
  const test = useAnswer("test", (signal) => ask<Health>("test_connection", {}, signal));
  const isGood = test.value?.ok === true;
  return (
    <>
      <h3>{setupTexts.test}</h3>
      <div aria-live="polite">
        <Shown answer={test} loading={setupTexts.testing}>
          {(value) => (
            <>
              <p>
                <strong>{value.sentence}</strong>
              </p>
              <Findings test={value} />
            </>
          )}
        </Shown>
      </div>
      <div className="s2p-buttons">
        <Press onPress={back}>{setupTexts.back}</Press>
        <Press isBusy={test.isAsking} onPress={test.again}>
          {setupTexts.testAgain}
        </Press>
        <Press kind={isGood ? "primary" : "secondary"} isDisabled={test.value === null} onPress={done}>
          {isGood ? setupTexts.next : setupTexts.anyway}
        </Press>
      </div>
    </>
  );
}
