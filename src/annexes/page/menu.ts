/** The menu: pages that link to one another. */
import type { Brand } from '../../calendar/brand.ts';
import { namesOf } from '../../calendar/field.ts';
import { type Norwegian, norwegianOf } from '../../calendar/model.ts';
import type { ServeContext } from '../../serve/annex.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { type Content, type Html, html } from './html.ts';
import { languageQuery } from './links.ts';
import type { ChosenLanguage, InEach, Language } from './reader.ts';

/**
 * In the order of the menu. All are at the root, so that links can be relative and the server can run
 * under a prefix.
 */
const PAGES = {
  events: { path: 'events.html', name: { nb: 'Hva skjer', en: 'What’s on', nn: 'Kva skjer' } },
  start: { path: 'developers', name: { nb: 'For utviklere', en: 'For developers', nn: 'For utviklarar' } },
  subscribe: { path: 'subscribe', name: { nb: 'Abonner', en: 'Subscribe', nn: 'Abonner' } },
  sandbox: { path: 'graphQL', name: { nb: 'Prøv selv', en: 'Sandbox', nn: 'Prøv sjølv' } },
  changelog: { path: 'changelog', name: { nb: 'Endringer', en: 'Changes', nn: 'Endringar' } },
  status: { path: 'status', name: { nb: 'Status', en: 'Status', nn: 'Status' } },
} as const satisfies Readonly<Record<string, { readonly path: string; readonly name: InEach<string> }>>;

export type PageName = keyof typeof PAGES;

/** The calendar's name, and the offered pages: those for visitors are in the masthead, the others at the foot. */
export interface Menu {
  readonly name: string;
  readonly pages: readonly PageName[];
  /** I15: null for the almanac's own design. */
  readonly brand: Brand | null;
  /** The Norwegian of the calendar. */
  readonly language: Norwegian;
  /** Its page about personal data, if it names one. */
  readonly privacyUrl: string | null;
}

export interface MenuContext extends Pick<ServeContext, 'parts'> {
  readonly keeper: Pick<ServeContext['keeper'], 'state'>;
}

/** Before the first snapshot the program has no other name than its own. */
export function menuOf({ parts, keeper }: MenuContext): Menu {
  const offered = parts().flatMap(({ offers = [] }) => offers);
  const { current } = keeper.state();
  return {
    name: current?.lists.licence.name ?? 'almanakk',
    pages: namesOf(PAGES).filter((name) => offered.includes(name)),
    brand: offered.includes('brand') ? (current?.meta.brand ?? null) : null,
    language: norwegianIn(current),
    privacyUrl: current?.lists.licence.privacyUrl ?? null,
  };
}

/** I16: of a calendar that is not ready yet, Bokmål. */
export const norwegianIn = (snapshot: Pick<Snapshot, 'lists'> | null): Norwegian =>
  norwegianOf(snapshot?.lists.licence.language ?? null);

export interface LinkOptions extends ChosenLanguage {
  /** The language of a page that exists in one language only. Its frame has this language too; its links keep the reader's. */
  readonly written?: Language;
  /** The root relative to this page: empty for a page of the root, `../` for one a level below. */
  readonly root?: string;
}

/** `current`: the page that has the menu; null if it is not in the menu. */
export function menuItems(
  { pages }: Menu,
  current: PageName | null,
  options: LinkOptions,
): Readonly<Record<'masthead' | 'foot', Content>> {
  const itemsOf = (names: readonly PageName[]) =>
    names.map((name) => html`<li>${linkTo(name, { ...options, isCurrent: name === current })}</li>\n`);
  return {
    masthead: itemsOf(pages.filter((name) => FOR_VISITORS.includes(name))),
    foot: itemsOf(pages.filter((name) => !FOR_VISITORS.includes(name))),
  };
}

const FOR_VISITORS: readonly PageName[] = ['events', 'subscribe'];

export function linkTo(
  name: PageName,
  { root = '', written, isCurrent = false, ...chosen }: LinkOptions & { readonly isCurrent?: boolean },
): Html {
  const { path, name: names } = PAGES[name];
  const current = isCurrent ? html` aria-current="page"` : null;
  const text = names[written ?? chosen.language];
  return html`<a href="${root}${path}${languageQuery(chosen)}"${current}>${text}</a>`;
}

/** The link to the calendar's page about personal data; null without one. */
export function privacyLink(address: string | null, language: Language): Html | null {
  if (address === null) return null;
  return html`<a rel="privacy-policy" href="${address}">${PRIVACY[language]}</a>`;
}

const PRIVACY: InEach<string> = { nb: 'Personvern', en: 'Privacy', nn: 'Personvern' };
