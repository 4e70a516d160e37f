/** Stash's settings page copies the settings of all plugins once, and each change writes every copy back. */
import { createContext } from "react";

export type PluginSettings = Record<string, Record<string, unknown>>;

export interface SettingsState {
  plugins: PluginSettings;
  savePluginSettings: (id: string, values: Record<string, unknown>) => void;
}

export const SettingsContext = createContext<SettingsState | null>(null);
