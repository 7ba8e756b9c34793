/** The sample calendar behind a running server with all its pages. */
import { packagePath } from '../../src/package.ts';
import { schema } from '../../src/serve/graphql/schema.ts';
import { createPages, type PagesOptions } from '../../src/serve/pages.ts';
import { type Running, startBuilt } from './running.ts';

export interface SampleOptions extends Partial<PagesOptions> {
  /** Milliseconds since 1970; the sample is built for the first moment that it gives. */
  readonly clock?: () => number;
  readonly source?: string;
}

export function startSample({ clock = Date.now, source, ...more }: SampleOptions = {}): Promise<Running> {
  return startBuilt(source ?? packagePath('data/sample'), Math.floor(clock() / 1_000), {
    clock,
    withKeeper: (keeper) => ({
      pages: createPages({
        keeper,
        schema,
        publicUrl: null,
        maxAge: 60,
        offersSnapshots: true,
        offersStatus: true,
        changelog: '# Changes\n',
        ...more,
      }),
    }),
  });
}
