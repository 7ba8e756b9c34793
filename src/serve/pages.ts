/** The pages for people: the developer page and the changelog. The operator's view is in `operator.ts`. */
import type { GraphQLSchema } from 'graphql';
import type { Keeper } from '../snapshot/keeper.ts';
import type { Routes } from './http/koa.ts';
import { createChangelogPage } from './pages/changelog.ts';
import { createDeveloperPage } from './pages/developer.ts';
import type { PageName } from './pages/frame.ts';
import { readStylesheet } from './pages/stylesheet.ts';

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
  /** CHANGELOG.md. */
  readonly changelog: string;
}

export function createPages(options: PagesOptions): Routes {
  const stylesheet = readStylesheet();
  const menu = menuWith({ status: options.offersStatus });
  const common = { ...options, menu, stylesheet: stylesheet.address };
  return {
    ...stylesheet.routes,
    '/': { GET: createDeveloperPage(common) },
    '/changelog': { GET: createChangelogPage(common) },
  };
}

const MENU: readonly PageName[] = ['start', 'sandbox', 'changelog', 'status'];

/** Pages that link to one another. */
export function menuWith({ status }: { readonly status: boolean }): readonly PageName[] {
  return MENU.filter((name) => name !== 'status' || status);
}
