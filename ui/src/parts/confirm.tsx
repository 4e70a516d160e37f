/** A question before something that cannot be taken back lightly. */
import React, { type ReactNode } from "react";
import { Modal } from "react-bootstrap";
import { commonTexts } from "../texts";
import { Press } from "./press";

interface Props {
  title: string;
  confirm: string;
  isBusy?: boolean;
  canConfirm?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
  children?: ReactNode;
}

export function Confirm({ title, confirm, isBusy, canConfirm = true, onConfirm, onCancel, children }: Props) {
  return (
    <Modal show onHide={onCancel} className="stash2plex" aria-labelledby="stash2plex-question" scrollable animation={false}>
      <Modal.Header>
        <Modal.Title id="stash2plex-question" as="h2" className="h5">
          {title}
        </Modal.Title>
      </Modal.Header>
      <Modal.Body tabIndex={0}>{children}</Modal.Body>
      <Modal.Footer>
        <Press onPress={onCancel}>{commonTexts.cancel}</Press>
        {canConfirm && (
          <Press kind="danger" isBusy={isBusy} onPress={onConfirm}>
            {confirm}
          </Press>
        )}
      </Modal.Footer>
    </Modal>
  );
}
