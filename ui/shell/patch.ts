/** Patches as Stash runs them: no guard anywhere, so one that throws takes the page along. */
type Before = (...args: unknown[]) => unknown[];
type Instead = (...args: unknown[]) => unknown;
type After = (...args: unknown[]) => unknown;

const befores: Record<string, Before[]> = {};
const insteads: Record<string, Instead[]> = {};
const afters: Record<string, After[]> = {};

/** What plugins find under `PluginApi.components`; most of it is missing until its chunk is loaded. */
export const components: Record<string, unknown> = {};

export const patch = {
  before: (name: string, run: Before) => void (befores[name] ??= []).push(run),
  instead: (name: string, run: Instead) => void (insteads[name] ??= []).push(run),
  after: (name: string, run: After) => void (afters[name] ??= []).push(run),
};

/** A component that plugins can patch. React 17 calls it with two arguments, and patches see both. */
export function patchable<P>(name: string, component: (props: P) => JSX.Element | null): (props: P) => JSX.Element | null {
  const patched = (...given: unknown[]) => {
    let args = given;
    for (const run of befores[name] ?? []) args = run(...args);
    const chain = insteads[name] ?? [];
    const call = (index: number, rest: unknown[]): unknown => {
      const run = chain[index];
      return run ? run(...rest, (...next: unknown[]) => call(index + 1, next)) : (component as Instead)(...rest);
    };
    let result = call(0, args);
    for (const run of afters[name] ?? []) result = run(...args, result);
    return result as JSX.Element | null;
  };
  components[name] = patched;
  return patched;
}
