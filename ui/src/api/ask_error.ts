/** What went wrong when we asked, as kinds that the page has a sentence for. */

/** `said` is the plugin's own sentence; the others are states of Stash, of the login or of the network. */
export type ProblemKind = "said" | "disabled" | "gone" | "login" | "away" | "outdated";

export class AskError extends Error {
  constructor(
    readonly kind: ProblemKind,
    message = "",
  ) {
    super(message);
    this.name = "AskError";
  }

  /** Whether asking again without the person doing something can help. */
  get mayPass(): boolean {
    return this.kind === "away" || this.kind === "said";
  }
}

interface ApolloShaped {
  graphQLErrors?: readonly { message?: unknown }[];
  /** Its `result` is the answer's body where the HTTP status was no success. */
  networkError?: { statusCode?: unknown; result?: { errors?: readonly { message?: unknown }[] } } | null;
  message?: unknown;
}

/** Stash gives its own errors as texts only, so its two sentences are known here, and nowhere else. */
export function readError(error: unknown): AskError {
  if (error instanceof AskError) return error;
  const raw = (error ?? {}) as ApolloShaped;
  if (raw.networkError?.statusCode === 401) return new AskError("login");
  const said = (raw.graphQLErrors?.[0] ?? raw.networkError?.result?.errors?.[0])?.message;
  if (typeof said !== "string") return new AskError("away", textOf(raw.message));
  if (/^plugin .*is disabled$/i.test(said)) return new AskError("disabled");
  if (said.startsWith("Internal system error")) return new AskError("gone");
  return new AskError("said", said);
}

export function isAbort(error: unknown): boolean {
  const raw = (error ?? {}) as { name?: unknown; networkError?: { name?: unknown } | null };
  return raw.name === "AbortError" || raw.networkError?.name === "AbortError";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
