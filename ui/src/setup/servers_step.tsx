/** Step one: where the servers are, and what lets us in. Nothing is written to them before the last step. */
import React, { useState } from "react";
import type { SettingRow, Target } from "../api/answers";
import { useAct } from "../api/hooks";
import { saveSettings } from "../api/save_settings";
import { statusStore } from "../api/status_store";
import { Icon } from "../parts/icon";
import { Note } from "../parts/note";
import { Press } from "../parts/press";
import { Outcome } from "../parts/states";
import { ADDRESS_KEYS, SECRET_KEYS, TARGETS, TARGET_NAMES } from "../parts/target_names";
import { checkAddress } from "../settings/checks";
import { useDraft } from "../settings/draft";
import { SecretInput, TextInput } from "../settings/field";
import { LostSecrets } from "../settings/settings_part";
import { settingsTexts, setupTexts } from "../texts";

type Problems = Readonly<Record<string, string>>;

export function ServersStep({ settings, done }: { settings: SettingRow[]; done: () => void }) {
  const draft = useDraft();
  const act = useAct();
  const [told, setTold] = useState<Problems>({});
  const [wasTried, setWasTried] = useState(false);
  const find = (key: string) => settings.find((one) => one.key === key);
  const addressOf = (target: Target) => String(draft.values[ADDRESS_KEYS[target]] ?? find(ADDRESS_KEYS[target])?.value ?? "").trim();
  const savedAddress = (target: Target) => String(find(ADDRESS_KEYS[target])?.value ?? "");
  const typedSecret = (target: Target) => draft.secrets[SECRET_KEYS[target]];
  const hasSecret = (target: Target) =>
    typedSecret(target) === undefined ? Boolean(find(SECRET_KEYS[target])?.is_set) : typedSecret(target) !== null;
  /** A server without address is off, whatever key is kept for it. */
  const isHalf = (target: Target) => (addressOf(target) ? !hasSecret(target) : Boolean(typedSecret(target)));
  const isEmpty = TARGETS.every((target) => !addressOf(target) && !typedSecret(target));
  const problems: Record<string, string> = { ...told };
  for (const target of TARGETS) {
    const address = addressOf(target);
    const wrong = checkAddress(address) ?? (wasTried && typedSecret(target) && !address ? setupTexts.needAddress : null);
    if (wrong) problems[ADDRESS_KEYS[target]] = wrong;
    if (wasTried && address && !hasSecret(target)) problems[SECRET_KEYS[target]] = setupTexts.needToken;
  }

  const save = async () => {
    setWasTried(true);
    const isMissing = TARGETS.some((target) => isHalf(target) || checkAddress(addressOf(target)));
    if (isEmpty || isMissing) return;
    const said = await act.run(async () => {
      const secrets = Object.entries(draft.secrets).map(([key, value]) => [key, value ?? ""] as const);
      const concerned = TARGETS.filter((target) => addressOf(target) || savedAddress(target));
      const values = { ...Object.fromEntries(concerned.map((target) => [ADDRESS_KEYS[target], addressOf(target)])), enabled: false };
      const saved = await saveSettings(values, Object.fromEntries(secrets));
      setTold(Object.fromEntries(saved.problems.flatMap(({ key, sentence }) => (key === null ? [] : [[key, sentence]]))));
      if (saved.ok) draft.drop([...Object.values(ADDRESS_KEYS), ...Object.values(SECRET_KEYS)]);
      return { ok: saved.ok, sentence: saved.sentence };
    });
    statusStore.refresh();
    if (said !== null) done();
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h3>{setupTexts.servers}</h3>
      <p>{setupTexts.serversAbout}</p>
      {draft.lost.length > 0 && <LostSecrets settings={settings} draft={draft} />}
      <div className="s2p-grid s2p-even">
        {TARGETS.map((target) => (
          <fieldset key={target} className="card s2p-card">
            <legend>{TARGET_NAMES[target]}</legend>
            <ServerField name={ADDRESS_KEYS[target]} label={setupTexts.address} help={`${setupTexts.example} ${setupTexts.addressExample[target]}`} problems={problems}>
              {(shared) => (
                <TextInput
                  {...shared}
                  value={String(draft.values[ADDRESS_KEYS[target]] ?? find(ADDRESS_KEYS[target])?.value ?? "")}
                  onType={(value) => {
                    setTold({});
                    draft.setValue(ADDRESS_KEYS[target], value);
                  }}
                />
              )}
            </ServerField>
            <ServerField name={SECRET_KEYS[target]} label={setupTexts.token[target]} help={setupTexts.tokenHelp[target]} problems={problems}>
              {(shared) => (
                <SecretInput
                  {...shared}
                  value=""
                  onType={() => undefined}
                  isSet={find(SECRET_KEYS[target])?.is_set ?? false}
                  secret={typedSecret(target)}
                  onSecret={(value) => draft.setSecret(SECRET_KEYS[target], value)}
                />
              )}
            </ServerField>
            {find(SECRET_KEYS[target])?.is_set && <p className="s2p-about">{settingsTexts.secretSet}</p>}
          </fieldset>
        ))}
      </div>
      {wasTried && isEmpty && (
        <Note tone="bad" role="alert">
          {setupTexts.needOne}
        </Note>
      )}
      <Outcome act={act} />
      <div className="s2p-buttons">
        <Press kind="primary" isSubmit isBusy={act.isBusy}>
          {setupTexts.saveAndTest}
        </Press>
      </div>
    </form>
  );
}

interface FieldProps {
  name: string;
  label: string;
  help: string;
  problems: Problems;
  children: (shared: { id: string; isInvalid: boolean; describedBy: string }) => React.ReactNode;
}

function ServerField({ name, label, help, problems, children }: FieldProps) {
  const id = `s2p-${name}`;
  const problem = problems[name];
  return (
    <div className="s2p-field" data-setting={name}>
      <label htmlFor={id}>{label}</label>
      {children({ id, isInvalid: Boolean(problem), describedBy: `${id}-about ${id}-problem` })}
      <div id={`${id}-about`} className="s2p-about text-muted">
        {help}
      </div>
      <div id={`${id}-problem`} className="s2p-problem" aria-live="polite">
        {problem && (
          <>
            <Icon name="faTriangleExclamation" /> {problem}
          </>
        )}
      </div>
    </div>
  );
}
