/** Libraries by name, as the server knows them; the text stays the truth and can be typed. */
import React, { useState } from "react";
import type { Libraries } from "../api/answers";
import { useAnswer } from "../api/hooks";
import { ask } from "../api/operations";
import { Note } from "../parts/note";
import { Press } from "../parts/press";
import { Shown } from "../parts/states";
import { TARGETS } from "../parts/target_names";
import { settingsTexts } from "../texts";
import { TextInput, type InputProps } from "./field";

export function LibraryField({ settingKey, ...input }: InputProps & { settingKey: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const target = TARGETS.find((one) => settingKey.startsWith(one)) ?? "plex";
  const list = useAnswer(isOpen ? "libraries" : null, (signal) => ask<Libraries>("libraries", { target }, signal));
  return (
    <>
      <div className="s2p-secret">
        <TextInput {...input} />
        <Press isExpanded={isOpen} onPress={() => setIsOpen(!isOpen)}>
          {settingsTexts.libraries}
        </Press>
      </div>
      {isOpen && (
        <Shown answer={list}>
          {(value) => (value.ok ? <Choices list={value} {...input} /> : <Note tone="bad">{value.sentence}</Note>)}
        </Shown>
      )}
    </>
  );
}

function Choices({ list, value, onType }: InputProps & { list: Libraries }) {
  const chosen = value.split(",").map((name) => name.trim()).filter(Boolean);
  const toggle = (title: string, isOn: boolean) =>
    onType((isOn ? [...chosen, title] : chosen.filter((name) => name !== title)).join(", "));
  if (list.libraries.length === 0) return <p>{settingsTexts.noLibraries}</p>;
  return (
    <fieldset className="s2p-libraries">
      <legend className="s2p-about text-muted">{settingsTexts.allLibraries}</legend>
      {list.libraries.map((library) => (
        <label key={library.key} className="s2p-check">
          <input
            type="checkbox"
            checked={chosen.includes(library.title)}
            onChange={(event) => toggle(library.title, event.target.checked)}
          />
          <span>
            {library.title} <span className="text-muted">{library.locations.join(", ")}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
