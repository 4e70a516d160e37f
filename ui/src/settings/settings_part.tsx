/** The settings, by group; each field says what is wrong with it, and nothing that was typed is lost. */
import React, { useRef, useState } from "react";
import { useHistory, useLocation } from "react-router-dom";
import type { SettingsSaved, SettingRow, SettingGroup, SettingsSchema } from "../api/answers";
import { useAct, useAnswer } from "../api/hooks";
import { ask } from "../api/operations";
import { useRefresh } from "../api/refresh";
import { saveSettings } from "../api/save_settings";
import { statusStore } from "../api/status_store";
import { ChoiceChips } from "../parts/choice_chips";
import { Note } from "../parts/note";
import { Press } from "../parts/press";
import { Outcome, Shown } from "../parts/states";
import { ADDRESS_KEYS, TARGETS } from "../parts/target_names";
import { settingsTexts } from "../texts";
import { checkTyped, toValue } from "./checks";
import { ConnectionTester } from "./connection_tester";
import { useDraft, type Draft, type DraftActions } from "./draft";
import { Field } from "./field";

export function SettingsPart() {
  const schema = useAnswer("settings_schema", (signal) => ask<SettingsSchema>("settings_schema", {}, signal));
  useRefresh(schema.again);
  return <Shown answer={schema}>{(value) => <SettingsForm schema={value} again={schema.again} />}</Shown>;
}

type Problems = Readonly<Record<string, string>>;

function SettingsForm({ schema, again }: { schema: SettingsSchema; again: () => void }) {
  const draft = useDraft();
  const wasRestored = useRef(Object.keys(draft.values).length > 0);
  const [told, setTold] = useState<Problems>({});
  const saving = useAct();
  const settings = schema.groups.flatMap((group) => group.settings);
  const problems = allProblems(settings, draft, told);
  const unsaved = Object.keys(draft.values).length + Object.keys(draft.secrets).length;
  const [group, setGroup] = useGroup(schema.groups);

  const save = async () => {
    if (settings.some((one) => isTyped(draft, one.key) && problems[one.key])) {
      setGroup(groupOf(schema.groups, Object.keys(problems)[0]) ?? group);
      return;
    }
    await saving.run(async () => {
      const answer = await saveDraft(settings, draft);
      setTold(Object.fromEntries(answer.problems.flatMap(({ key, sentence }) => (key === null ? [] : [[key, sentence]]))));
      const unknown = Object.keys(draft.values).filter((key) => !settings.some((one) => one.key === key));
      draft.drop([...answer.saved, ...unknown, ...Object.keys(draft.secrets)]);
      again();
      statusStore.refresh();
      return { ok: answer.ok, sentence: answer.sentence };
    });
  };

  return (
    <form
      className="s2p-settings"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {wasRestored.current && Object.keys(draft.values).length > 0 && <Note role="status">{settingsTexts.restored}</Note>}
      {draft.lost.length > 0 && <LostSecrets settings={settings} draft={draft} />}
      {[...schema.problems, ...schema.warnings]
        .filter(({ key }) => key === null)
        .map(({ sentence }) => (
          <Note key={sentence} tone="bad">
            {sentence}
          </Note>
        ))}
      <ChoiceChips
        label={settingsTexts.groupLabel}
        chosen={group.id}
        choices={schema.groups.map((one) => ({ value: one.id, text: one.title, count: problemsIn(one, problems) || undefined }))}
        onChoose={(id) => setGroup(schema.groups.find((one) => one.id === id) ?? group)}
      />
      <GroupFields key={group.id} group={group} draft={draft} problems={problems} forget={(key) => setTold(without(told, key))} />
      <div className={`s2p-savebar${unsaved > 0 ? " card" : ""}`}>
        {unsaved > 0 && (
          <>
            <Press kind="primary" isSubmit isBusy={saving.isBusy}>
              {settingsTexts.save}
            </Press>
            <Press onPress={() => draft.drop([...Object.keys(draft.values), ...Object.keys(draft.secrets)])}>
              {settingsTexts.discard}
            </Press>
            <span role="status">{settingsTexts.unsaved(unsaved)}</span>
          </>
        )}
        {unsaved > 0 && Object.keys(problems).length > 0 && <span role="status">{settingsTexts.problems(Object.keys(problems).length)}</span>}
        <Outcome act={saving} />
      </div>
    </form>
  );
}

/** Says which secret is to be typed again; discarding it is a choice, too. */
export function LostSecrets({ settings, draft }: { settings: SettingRow[]; draft: Draft & DraftActions }) {
  const names = draft.lost.map((key) => settings.find((one) => one.key === key)?.title ?? key);
  return (
    <Note tone="careful" role="alert" actions={<Press onPress={() => draft.drop(draft.lost)}>{settingsTexts.secretLostOk}</Press>}>
      <strong>{names.join(", ")}:</strong> {settingsTexts.secretLost}
    </Note>
  );
}

interface GroupProps {
  group: SettingGroup;
  draft: Draft & DraftActions;
  problems: Problems;
  forget: (key: string) => void;
}

function GroupFields({ group, draft, problems, forget }: GroupProps) {
  const target = TARGETS.find((one) => group.settings.some((setting) => setting.key === ADDRESS_KEYS[one]));
  return (
    <section className="card s2p-card" aria-label={group.title}>
      <h2>{group.title}</h2>
      <div className={isManySwitches(group) ? "s2p-columns" : undefined}>
        {group.settings.map((setting) => (
          <Field
            key={setting.key}
            setting={setting}
            typed={draft.values[setting.key]}
            secret={draft.secrets[setting.key]}
            problem={problems[setting.key] ?? null}
            onType={(value) => {
              forget(setting.key);
              draft.setValue(setting.key, value);
            }}
            onSecret={(value) => {
              forget(setting.key);
              draft.setSecret(setting.key, value);
            }}
          />
        ))}
      </div>
      {target && <ConnectionTester target={target} />}
    </section>
  );
}

/** Short rows, which leave room for a second column where the window is wide. */
function isManySwitches(group: SettingGroup): boolean {
  return group.settings.filter((one) => one.type === "boolean").length > 5;
}

/** The group that the address names, else the first. */
function useGroup(groups: SettingGroup[]): [SettingGroup, (group: SettingGroup) => void] {
  const { search, pathname } = useLocation();
  const history = useHistory();
  const asked = new URLSearchParams(search).get("group");
  const group = groups.find((one) => one.id === asked) ?? groups[0] ?? { id: "", title: "", settings: [] };
  return [group, (next) => history.replace(`${pathname}?group=${encodeURIComponent(next.id)}`)];
}

function saveDraft(settings: SettingRow[], draft: Draft): Promise<SettingsSaved> {
  const secrets = Object.fromEntries(Object.entries(draft.secrets).map(([key, value]) => [key, value ?? ""]));
  const known = settings.filter((one) => draft.values[one.key] !== undefined);
  return saveSettings(Object.fromEntries(known.map((one) => [one.key, toValue(one, draft.values[one.key] ?? "")])), secrets);
}

/** What is wrong now: what was typed is checked here; where nothing new was typed, what the plugin said stands. */
function allProblems(settings: SettingRow[], draft: Draft, told: Problems): Problems {
  const found: Record<string, string> = {};
  for (const setting of settings) {
    const typed = draft.values[setting.key];
    const sentence = told[setting.key] ?? (typed === undefined ? (isTyped(draft, setting.key) ? null : setting.problem) : checkTyped(setting, typed));
    if (sentence) found[setting.key] = sentence;
  }
  return found;
}

function isTyped(draft: Draft, key: string): boolean {
  return draft.values[key] !== undefined || draft.secrets[key] !== undefined;
}

function problemsIn(group: SettingGroup, problems: Problems): number {
  return group.settings.filter((one) => problems[one.key]).length;
}

function groupOf(groups: SettingGroup[], key: string | undefined): SettingGroup | undefined {
  return groups.find((group) => group.settings.some((one) => one.key === key));
}

function without(problems: Problems, key: string): Problems {
  return Object.fromEntries(Object.entries(problems).filter(([name]) => name !== key));
}
