/** One toast at a time. */
import React, { createContext, useState, type ReactNode } from "react";

interface Toasts {
  success: (text: string) => void;
  error: (problem: unknown) => void;
}

export const ToastContext = createContext<Toasts>({ success: () => undefined, error: () => undefined });

export function ToastProvider({ children }: { children: ReactNode }) {
  const [text, setText] = useState("");
  return (
    <ToastContext.Provider value={{ success: setText, error: (problem) => setText(String(problem)) }}>
      {children}
      {text && <div className="toast-container">{text}</div>}
    </ToastContext.Provider>
  );
}
