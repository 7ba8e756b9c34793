/** The pages for people: the developer page and the changelog. The operator's view is in `operator.ts`. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { GraphQLSchema } from 'graphql';
import { packagePath } from '../package.ts';
import type { Keeper } from '../snapshot/keeper.ts';
import type { Routes } from './http/koa.ts';
import type { QuotaLimits } from './http/quota.ts';
import { fixedReply } from './http/representation.ts';
import { createChangelog } from './pages/changelog.ts';
import { createDeveloperPage } from './pages/developer.ts';
import type { PageName } from './pages/page.ts';

export interface PagesOptions {
  readonly keeper: Pick<Keeper, 'pin' | 'state'>;
  readonly schema: GraphQLSchema;
  /** Where this server is reached from outside; null: what each request says. */
  readonly publicUrl: string | null;
  /** Seconds (D6). */
  readonly maxAge: number;
  /** Whether `/calendar.sqlite` is there. */
  readonly offersSnapshots: boolean;
  /** Whether `/status` is there, open to everybody. */
  readonly offersStatus: boolean;
  /** K4. */
  readonly quota: QuotaLimits;
  /** CHANGELOG.md. */
  readonly changelog: string;
}

export function createPages(options: PagesOptions): Routes {
  const stylesheet = readStylesheet();
  const menu = menuWith({ status: options.offersStatus });
  const common = { ...options, menu, stylesheet: stylesheet.address };
  const changelog = createChangelog(common);
  return {
    ...stylesheet.routes,
    '/': { GET: createDeveloperPage(common) },
    '/changelog': { GET: changelog.page },
    '/changelog.rss': { GET: changelog.feed },
  };
}

const MENU: readonly PageName[] = ['start', 'sandbox', 'changelog', 'status'];

/** Pages that link to one another. */
export function menuWith({ status }: { readonly status: boolean }): readonly PageName[] {
  return MENU.filter((name) => name !== 'status' || status);
}

interface Stylesheet {
  /** Relative to the pages. */
  readonly address: string;
  readonly routes: Routes;
}

export function readStylesheet(): Stylesheet {
  const body = readFileSync(packagePath('src/assets/pages/almanakk.css'));
  const address = `almanakk-${createHash('sha256').update(body).digest('hex').slice(0, 12)}.css`;
  const reply = fixedReply({
    body,
    type: 'text/css; charset=utf-8',
    cacheControl: 'public, max-age=31536000, immutable',
  });
  return { address, routes: { [`/${address}`]: { GET: reply } } };
}
