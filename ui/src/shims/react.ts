/** The React that Stash brought. Where there is none, everything here is undefined and `findApi` says so. */
import type ReactModule from "react";
import { stashApi } from "../stash/plugin_api";

const found = (stashApi()?.React ?? {}) as typeof ReactModule;

export default found;
export const { Children, Component, Fragment, createContext, createElement } = found;
export const { useCallback, useContext, useEffect, useMemo, useRef, useState } = found;
