/** The Bootstrap that Stash brought. */
import type * as BootstrapModule from "react-bootstrap";
import { stashApi } from "../stash/plugin_api";

const found = (stashApi()?.libraries?.Bootstrap ?? {}) as typeof BootstrapModule;

export const { Badge, Button, Card, Form, Modal, Nav, ProgressBar, Spinner, Tab } = found;
