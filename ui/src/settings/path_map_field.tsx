/** The path map: its rules, how many files they find, which they do not, and a proposal. */
import React, { useState, type ReactNode } from "react";
import type { PathMapAnswer } from "../api/answers";
import { useAnswer } from "../api/hooks";
import { ask } from "../api/operations";
import { Note } from "../parts/note";
import { Press } from "../parts/press";
import { Shown } from "../parts/states";
import { TARGETS } from "../parts/target_names";
import { pathMapTexts } from "../texts";
import type { InputProps } from "./field";
import { hasMarks, keepRules, readRules, type Rule } from "./path_rules";

export function PathMapField({ settingKey, ...input }: InputProps & { settingKey: string }) {
  const [isChecking, setIsChecking] = useState(false);
  const target = TARGETS.find((one) => settingKey.startsWith(one)) ?? "plex";
  const found = useAnswer(isChecking ? "path_map" : null, (signal) => ask<PathMapAnswer>("path_map", { target }, signal));
  return (
    <div className="s2p-pathmap" role="group" aria-labelledby={`${input.id}-label`}>
      <Rules {...input}>
        <Press isBusy={isChecking && found.isAsking} onPress={() => (isChecking ? found.again() : setIsChecking(true))}>
          {pathMapTexts.check}
        </Press>
      </Rules>
      {isChecking && (
        <Shown answer={found} loading={pathMapTexts.checking}>
          {(value) => <Coverage map={value} onUse={input.onType} />}
        </Shown>
      )}
    </div>
  );
}

function Rules({ value, isInvalid, describedBy, onType, children }: InputProps & { children: ReactNode }) {
  const rules = readRules(value);
  const change = (next: Rule[]) => onType(keepRules(next));
  const edit = (index: number, part: Partial<Rule>) => change(rules.map((rule, at) => (at === index ? { ...rule, ...part } : rule)));
  const isWrong = (rule: Rule, key: keyof Rule) => isInvalid && (!rule[key].trim() || hasMarks({ from: "", to: "", [key]: rule[key] }));
  const side = (rule: Rule, index: number, key: keyof Rule, label: string) => (
    <input
      className={`form-control text-input${isWrong(rule, key) ? " is-invalid" : ""}`}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={isWrong(rule, key)}
      placeholder={label}
      spellCheck={false}
      autoCapitalize="off"
      value={rule[key]}
      onChange={(event) => edit(index, { [key]: event.target.value })}
    />
  );
  return (
    <>
      {rules.length === 0 && <p className="s2p-about">{pathMapTexts.byItself}</p>}
      {rules.map((rule, index) => (
        <div className="s2p-rule" key={index}>
          {side(rule, index, "from", pathMapTexts.from)}
          <span aria-hidden="true">→</span>
          {side(rule, index, "to", pathMapTexts.to)}
          <Press icon="faXmark" label={pathMapTexts.remove(index + 1)} onPress={() => change(rules.filter((_, at) => at !== index))} />
        </div>
      ))}
      <div className="s2p-buttons">
        <Press onPress={() => change([...rules, { from: "", to: "" }])}>{pathMapTexts.add}</Press>
        {children}
      </div>
    </>
  );
}

function Coverage({ map, onUse }: { map: PathMapAnswer; onUse: (text: string) => void }) {
  const share = map.total > 0 ? map.found / map.total : 0;
  const { proposal } = map;
  return (
    <div className="s2p-coverage">
      <p>
        <strong>{pathMapTexts.coverage(map.found, map.total)}</strong> · {pathMapTexts.source[map.source]}
      </p>
      <progress max={1} value={share} aria-label={pathMapTexts.coverage(map.found, map.total)} />
      {!map.sentence.startsWith(pathMapTexts.coverage(map.found, map.total)) && <p>{map.sentence}</p>}
      <ul className="s2p-list">
        {map.rules.map((rule) => (
          <li key={`${rule.from} ${rule.to}`}>
            <code className="s2p-path">{rule.from}</code> → <code className="s2p-path">{rule.to}</code>{" "}
            <span className="text-muted">{pathMapTexts.ruleFound(rule.found)}</span>
          </li>
        ))}
      </ul>
      {proposal && (
        <Note actions={<Press kind="primary" onPress={() => onUse(proposal)}>{pathMapTexts.useProposal}</Press>}>
          {pathMapTexts.proposal}: <code className="s2p-path">{proposal}</code>
        </Note>
      )}
      {map.not_found.length > 0 && (
        <>
          <h3>{pathMapTexts.misfits}</h3>
          <ul className="s2p-list">
            {map.not_found.map((one) => (
              <li key={one.path}>
                <code className="s2p-path">{one.path}</code>
                {one.item_path && (
                  <div className="text-muted">
                    {pathMapTexts.looksFor} <code className="s2p-path">{one.item_path}</code>
                  </div>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
