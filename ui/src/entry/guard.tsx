/** A bug of ours never takes a page of Stash down: patches that give up quietly, and a boundary around what we add. */
import React, { Children, Component, type ReactElement, type ReactNode } from "react";
import type { Props, UsableApi } from "../stash/plugin_api";

interface BoundaryProps {
  fallback?: ReactNode;
  children?: ReactNode;
}

export class Boundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? (this.props.fallback ?? null) : this.props.children;
  }
}

/**
 * Adds a child to one of Stash's containers. Others look for tabs in the list of children, so ours stands in it directly;
 * other patches get all props and arguments that we got.
 */
export function appendChild(api: UsableApi, name: string, child: (props: Props) => ReactElement): void {
  api.patch.before(name, (...args) => {
    try {
      const [props, ...rest] = args as [Props, ...unknown[]];
      return [{ ...props, children: [...Children.toArray(props.children), child(props)] }, ...rest];
    } catch {
      return args;
    }
  });
}

/** Shows ours instead of Stash's component where `replace` gives something; it gets what Stash would have shown. */
export function replaceElement(
  api: UsableApi,
  name: string,
  replace: (props: Props, original: ReactNode) => ReactElement | null,
): void {
  api.patch.instead(name, (...args) => {
    // Patches of others drop arguments, so the next one is the last, wherever that is.
    const next = args.pop();
    const original = typeof next === "function" ? (next as (...rest: unknown[]) => ReactNode)(...args) : null;
    try {
      const ours = replace(args[0] as Props, original);
      return ours ? <Boundary fallback={original}>{ours}</Boundary> : original;
    } catch {
      return original;
    }
  });
}
