/** One setting: its name, what it is for, its field, where its value comes from and what is wrong with it. */
import React from "react";
import type { SettingRow } from "../api/answers";
import { Icon } from "../parts/icon";
import { Press } from "../parts/press";
import { settingsTexts } from "../texts";
import type { Typed } from "./draft";
import { LibraryField } from "./library_field";
import { PathMapField } from "./path_map_field";

interface Props {
  setting: SettingRow;
  typed: Typed | undefined;
  secret: string | null | undefined;
  problem: string | null;
  onType: (value: Typed | undefined) => void;
  onSecret: (value: string | null | undefined) => void;
}

export interface InputProps {
  id: string;
  value: string;
  isInvalid: boolean;
  describedBy: string;
  onType: (value: string) => void;
}

export function Field({ setting, typed, secret, problem, onType, onSecret }: Props) {
  const id = `s2p-${setting.key}`;
  const saved = asTyped(setting.value ?? setting.default);
  // Back to what is saved is no change any more.
  const type = (value: Typed) => onType(value === saved ? undefined : value);
  const shared: InputProps = {
    id,
    value: String(typed ?? saved),
    isInvalid: problem !== null,
    describedBy: `${id}-about ${id}-problem`,
    onType: type,
  };
  return (
    <div className="s2p-field" data-setting={setting.key}>
      {setting.type === "boolean" ? (
        <Switch setting={setting} isOn={(typed ?? saved) === true} props={shared} onType={type} />
      ) : (
        <>
          {setting.type === "path_map" ? (
            <div className="s2p-label" id={`${id}-label`}>
              {setting.title}
            </div>
          ) : (
            <label htmlFor={id}>{setting.title}</label>
          )}
          {setting.type === "secret" ? (
            <SecretInput {...shared} isSet={setting.is_set} secret={secret} onSecret={onSecret} />
          ) : (
            <TypedInput setting={setting} {...shared} />
          )}
        </>
      )}
      <div id={`${id}-about`} className="s2p-about text-muted">
        {setting.description} {shownDefault(setting)}{" "}
        {settingsTexts.from[setting.source]}
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

function Switch({ setting, isOn, props, onType }: { setting: SettingRow; isOn: boolean; props: InputProps; onType: (value: boolean) => void }) {
  return (
    <div className="custom-control custom-switch s2p-switch">
      <input
        type="checkbox"
        id={props.id}
        className="custom-control-input"
        checked={isOn}
        aria-describedby={props.describedBy}
        onChange={(event) => onType(event.target.checked)}
      />
      <label className="custom-control-label" htmlFor={props.id}>
        {setting.title}
      </label>
    </div>
  );
}

function TypedInput({ setting, ...props }: InputProps & { setting: SettingRow }) {
  if (setting.type === "path_map") return <PathMapField settingKey={setting.key} {...props} />;
  if (setting.type === "choice" && Array.isArray(setting.allowed)) return <Choice choices={setting.allowed} {...props} />;
  if (setting.key.endsWith("_library")) return <LibraryField settingKey={setting.key} {...props} />;
  return <TextInput {...props} isNumber={setting.type === "number"} />;
}

export function TextInput({ id, value, isInvalid, describedBy, onType, isNumber }: InputProps & { isNumber?: boolean }) {
  return (
    <input
      id={id}
      className={`form-control text-input${isInvalid ? " is-invalid" : ""}`}
      inputMode={isNumber ? "decimal" : undefined}
      autoCapitalize="off"
      autoCorrect="off"
      spellCheck={false}
      aria-invalid={isInvalid}
      aria-describedby={describedBy}
      value={value}
      onChange={(event) => onType(event.target.value)}
    />
  );
}

function Choice({ id, value, isInvalid, describedBy, onType, choices }: InputProps & { choices: string[] }) {
  return (
    <select
      id={id}
      className="form-control text-input"
      aria-invalid={isInvalid}
      aria-describedby={describedBy}
      value={value}
      onChange={(event) => onType(event.target.value)}
    >
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </select>
  );
}

interface SecretProps extends InputProps {
  isSet: boolean;
  secret: string | null | undefined;
  onSecret: (value: string | null | undefined) => void;
}

/** Only whether it is set is shown; an empty field keeps what is there. */
export function SecretInput({ id, isInvalid, describedBy, isSet, secret, onSecret }: SecretProps) {
  if (secret === null) {
    return (
      <div className="s2p-buttons">
        <span>{settingsTexts.secretWillGo}</span>
        <Press onPress={() => onSecret(undefined)}>{settingsTexts.secretKeep}</Press>
      </div>
    );
  }
  return (
    <div className="s2p-secret">
      <input
        id={id}
        type="password"
        autoComplete="new-password"
        className={`form-control text-input${isInvalid ? " is-invalid" : ""}`}
        aria-invalid={isInvalid}
        aria-describedby={describedBy}
        placeholder={isSet ? settingsTexts.secretPlaceholder : ""}
        value={secret ?? ""}
        onChange={(event) => onSecret(event.target.value === "" ? undefined : event.target.value)}
      />
      {isSet && <Press onPress={() => onSecret(null)}>{settingsTexts.secretRemove}</Press>}
    </div>
  );
}

function asTyped(value: SettingRow["value"]): Typed {
  return typeof value === "boolean" ? value : value === null ? "" : String(value);
}

/** Nothing where the default is an empty field: that speaks for itself. */
function shownDefault(setting: SettingRow): string {
  const value = setting.default;
  if (value === null || value === "") return "";
  return settingsTexts.defaultIs(typeof value === "boolean" ? (value ? settingsTexts.on : settingsTexts.off) : String(value));
}
