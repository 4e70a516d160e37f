/** Tries a server with what is saved, line by line. */
import React, { useState } from "react";
import type { Health, Finding, Target } from "../api/answers";
import { useAnswer } from "../api/hooks";
import { ask } from "../api/operations";
import { Note } from "../parts/note";
import { Press } from "../parts/press";
import { Shown } from "../parts/states";
import { TARGET_NAMES } from "../parts/target_names";
import { settingsTexts } from "../texts";

export function ConnectionTester({ target }: { target: Target }) {
  const [isOpen, setIsOpen] = useState(false);
  const test = useAnswer(isOpen ? "test" : null, (signal) => ask<Health>("test_connection", { target }, signal));
  return (
    <div className="s2p-test">
      <div className="s2p-buttons">
        <Press icon="faPlug" isBusy={isOpen && test.isAsking} onPress={() => (isOpen ? test.again() : setIsOpen(true))}>
          {settingsTexts.test}
        </Press>
        <span className="s2p-about text-muted">{settingsTexts.testSaved}</span>
      </div>
      {isOpen && (
        <div aria-live="polite">
          <Shown answer={test}>{(value) => <Findings test={value} />}</Shown>
        </div>
      )}
    </div>
  );
}

export function Findings({ test }: { test: Health }) {
  return (
    <ul className="s2p-list s2p-findings">
      {test.findings.map((finding, index) => (
        <FindingLine key={index} finding={finding} />
      ))}
    </ul>
  );
}

function FindingLine({ finding }: { finding: Finding }) {
  return (
    <li>
      <Note tone={finding.ok ? "good" : "bad"}>
        <strong>
          {finding.target ? `${TARGET_NAMES[finding.target]}, ` : ""}
          {finding.part}:
        </strong>{" "}
        {finding.sentence}
      </Note>
    </li>
  );
}
