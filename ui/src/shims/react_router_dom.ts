/** The router that Stash brought. */
import type * as RouterModule from "react-router-dom";
import { stashApi } from "../stash/plugin_api";

const found = (stashApi()?.libraries?.ReactRouterDOM ?? {}) as typeof RouterModule;

export const { Link, NavLink, Redirect, Route, Switch, useHistory, useLocation, useRouteMatch } = found;
