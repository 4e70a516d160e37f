/** Which version of the plugin answered last: an open tab keeps its old page when the plugin is updated. */
let latest: string | null = null;
const listeners = new Set<() => void>();

export function noticeVersion(version: unknown): void {
  if (typeof version !== "string" || version === latest) return;
  latest = version;
  listeners.forEach((listener) => listener());
}

export function latestVersion(): string | null {
  return latest;
}

export function onVersion(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
