/** What is wrong with what was typed, in a sentence; null where nothing is. The plugin checks again when it is saved. */
import type { SettingRow } from "../api/answers";
import { settingsTexts } from "../texts";
import type { Typed } from "./draft";
import { hasMarks, readRules, trimRules } from "./path_rules";

export function checkTyped(setting: SettingRow, typed: Typed): string | null {
  if (typeof typed === "boolean") return null;
  if (setting.type === "number") return checkNumber(setting, typed);
  if (setting.type === "path_map") return checkRules(typed);
  if (setting.key.endsWith("_url")) return checkAddress(typed);
  return null;
}

export function checkAddress(typed: string): string | null {
  const address = typed.trim();
  if (address === "") return null;
  if (!/^https?:\/\/[^/]/i.test(address)) return settingsTexts.notAnAddress;
  return /\s/.test(address) ? settingsTexts.spaces : null;
}

/** What is sent for it: the plugin wants numbers as numbers. */
export function toValue(setting: SettingRow, typed: Typed): SettingRow["value"] {
  if (typeof typed === "boolean") return typed;
  if (setting.type === "path_map") return trimRules(typed);
  if (setting.type !== "number") return typed.trim();
  return typed.trim() === "" ? setting.default : Number(typed);
}

function checkNumber(setting: SettingRow, typed: string): string | null {
  if (typed.trim() === "") return null;
  const value = Number(typed);
  if (!Number.isFinite(value)) return settingsTexts.notANumber;
  const range = setting.allowed;
  if (!range || Array.isArray(range)) return null;
  return value < range.min || value > range.max ? settingsTexts.range(range.min, range.max) : null;
}

function checkRules(typed: string): string | null {
  const rules = readRules(typed);
  if (rules.some(hasMarks)) return settingsTexts.ruleHasMarks;
  return rules.some((rule) => !rule.from.trim() || !rule.to.trim()) ? settingsTexts.ruleNeedsBoth : null;
}
