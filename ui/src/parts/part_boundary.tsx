/** Around each part: one that breaks says so and can be tried again, and the others stand. */
import React, { Component, type ReactNode } from "react";
import { commonTexts, pageTexts } from "../texts";
import { Note } from "./note";
import { Press } from "./press";

export class PartBoundary extends Component<{ children?: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  private readonly again = (): void => this.setState({ hasFailed: false });

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Note tone="bad" role="alert" actions={<Press onPress={this.again}>{commonTexts.again}</Press>}>
        {pageTexts.partBroken}
      </Note>
    );
  }
}
