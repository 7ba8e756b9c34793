/** Servers, browsers and files that a test opens, closed after it, also when it fails. */
import type { Test } from 'uvu';

interface Closable {
  readonly close: () => unknown;
}

/** The function registers what a test has opened: `const running = closing(await startBuilt(…))`. The last opened is closed first. */
export function closedAfterEach<T>(suite: Test<T>): <C extends Closable>(opened: C) => C {
  const open: Closable[] = [];
  suite.after.each(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });
  return (opened) => {
    open.push(opened);
    return opened;
  };
}
