/** A button that says when it is busy and cannot be pressed twice. */
import React, { type ReactNode } from "react";
import { Spinner } from "react-bootstrap";
import { Icon, hasIcon } from "./icon";

interface Props {
  /** What it does; a button that submits its form leaves that to the form. */
  onPress?: () => void;
  isSubmit?: boolean;
  isBusy?: boolean;
  isDisabled?: boolean;
  kind?: "primary" | "secondary" | "danger";
  icon?: string;
  label?: string;
  isExpanded?: boolean;
  children?: ReactNode;
}

export function Press({ onPress, isSubmit, isBusy, isDisabled, kind = "secondary", icon, label, isExpanded, children }: Props) {
  return (
    <button
      type={isSubmit ? "submit" : "button"}
      className={`btn btn-${kind} s2p-press`}
      disabled={(isDisabled ?? false) || (isBusy ?? false)}
      aria-label={label}
      aria-expanded={isExpanded}
      title={label}
      onClick={onPress}
    >
      {isBusy ? <Spinner animation="border" size="sm" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children ? <span>{children}</span> : !(icon && hasIcon(icon)) && <span>{label}</span>}
    </button>
  );
}
