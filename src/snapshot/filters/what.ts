/** Filters by what an event is. */
import { flag, Invalid, parsed, type Read, text, texts, textsOf } from '../../calendar/arguments.ts';
import { unlessEmpty } from '../../calendar/groups.ts';
import { MODES } from '../../calendar/model.ts';
import { fold } from '../../calendar/text.ts';
import { intersect, subtract } from '../bitmaps.ts';
import { listAt } from '../columns.ts';
import { rowsFlagged } from '../flags.ts';
import { type FilterView, filter, listed, type Named, type NamedKind, type Names } from './filter.ts';
import { isSeenOn, keepFlagged, keepNamed, rowsOf } from './rows.ts';

/** An id that cannot be seen now is unknown, whatever the reason: events that are not public yet stay unknown. */
const EVENT_KIND: NamedKind = {
  find: (id, { snapshot, isVisible }) => listed(snapshot.ordinalById(id)).filter(isVisible),
  index: 'event',
  predicate: 'event that is public and not over has this id',
  mostHints: 3,
};

/** B15: a page of `changes` that a copy asks for at once. */
const MOST_IDS = 1_000;

const readIds: Read<readonly string[]> = (value) => {
  const ids = textsOf(value);
  return ids.length > MOST_IDS ? new Invalid(`at most ${MOST_IDS} ids`) : unlessEmpty(ids);
};

const CATEGORY_KIND: NamedKind = {
  find: (id, { directory }) => listed(directory.categoryById.get(id)),
  index: 'category',
  values: ({ lists }) =>
    lists.categories.map(({ id, name_nb, name_en, name_nn, slug_nb, slug_en }) => [
      id,
      name_nb,
      name_en,
      name_nn ?? name_nb,
      slug_nb,
      slug_en,
    ]),
  predicate: 'category has this id',
  query: 'categories',
};

/** A9: a tag is unknown as long as no event that has it can be seen, and no hint spells it. */
const TAG_KIND: NamedKind = {
  find: (tag, view) =>
    listed(view.directory.tagByFold.get(fold(tag))).filter((found) => isSeenOn('tag', found, view)),
  index: 'tag',
  values: spellingsSeen,
  basis: ({ isVisible }) => isVisible,
  predicate: 'event has this tag',
  query: 'events { tags }',
};

function spellingsSeen({ columns, lists, isVisible }: FilterView): readonly Named[] {
  const { spellings, spellingsAt } = columns;
  const seen = new Set<number>();
  for (let event = 0; event < spellingsAt.length - 1; event++) {
    if (!isVisible(event)) continue;
    for (const spelling of listAt(spellings, spellingsAt, event)) seen.add(spelling);
  }
  return lists.spellings.filter((_, spelling) => seen.has(spelling)).map((tag) => [tag]);
}

const CONTAINER_KIND: NamedKind = {
  find: (id, { directory, isContainerPublished }) =>
    listed(directory.containerById.get(id)).filter(isContainerPublished),
  index: 'container',
  predicate: 'container event has this id',
};

const labels = (ids: readonly string[], { category }: Names) => ids.map(category).join(', ');

export const WHAT = {
  ids: filter({
    type: '[String!]',
    en: 'Ids of events, at most 1000; any of them matches. The id of an event that was merged with another finds that one. If you keep a copy, use it to fetch the events that `changes` lists.',
    nb: 'Id-er til arrangementer, høyst 1000; én av dem er nok. Id-en til et arrangement som er slått sammen med et annet, gir det andre. Har du en kopi, kan du hente arrangementene i `changes` slik.',
    read: readIds,
    condition: keepNamed(EVENT_KIND),
    isRepeated: true,
    words: ({ length }) =>
      length === 1
        ? ['1 utvalgt arrangement', '1 chosen event', '1 utvalt arrangement']
        : [`${length} utvalgte arrangementer`, `${length} chosen events`, `${length} utvalde arrangement`],
    named: EVENT_KIND,
  }),
  categories: filter({
    type: '[String]',
    en: 'Category or subcategory ids; any of them matches. A category includes its subcategories. Unknown ids match nothing.',
    nb: 'Id-er til kategorier eller underkategorier; én av dem er nok. En kategori omfatter underkategoriene sine. Ukjente id-er treffer ingenting.',
    read: texts,
    condition: keepNamed(CATEGORY_KIND),
    words: labels,
    named: CATEGORY_KIND,
  }),
  notCategories: filter({
    type: '[String]',
    en: 'Category or subcategory ids to leave out. A category includes its subcategories.',
    nb: 'Id-er til kategorier eller underkategorier som skal utelates. En kategori omfatter underkategoriene sine.',
    read: texts,
    condition: (rows, ids, view) => subtract(rows, rowsOf(CATEGORY_KIND, ids, view)),
    words: (ids, names) => {
      const named = labels(ids, names);
      return [`uten ${named}`, `without ${named}`, `utan ${named}`];
    },
    named: CATEGORY_KIND,
  }),
  searchTerm: filter({
    type: 'String',
    en: 'Free text, case- and accent-insensitive: every word must occur, as a word or part of a word, in the titles, descriptions, tags, venue names, organizer names or category names. If no upcoming event matches exactly, titles and descriptions are searched with one (words of 3 to 5 letters) or two typing errors per word. Only the first 256 characters count.',
    nb: 'Fritekst, uten hensyn til store og små bokstaver eller aksenter: Hvert ord må finnes, som ord eller del av et ord, i titler, beskrivelser, emneord, steder, arrangører eller kategorier. Finnes ingen slike kommende arrangementer, søkes det i titler og beskrivelser med én (ord på 3 til 5 bokstaver) eller to skrivefeil per ord. Bare de første 256 tegnene teller.',
    read: text,
    words: (term) => [`«${term.trim()}»`, `“${term.trim()}”`, `«${term.trim()}»`],
  }),
  tag: filter({
    type: 'String',
    en: 'One keyword of `Event.tags`, case- and accent-insensitive.',
    nb: 'Ett av emneordene i `Event.tags`, uten hensyn til store og små bokstaver eller aksenter.',
    read: text,
    condition: keepNamed(TAG_KIND),
    words: (tag) => [`merket «${tag}»`, `tagged “${tag}”`, `merkt «${tag}»`],
    named: TAG_KIND,
  }),
  superEvent: filter({
    type: 'String',
    en: 'Id of a container event: selects its programme, without the container.',
    nb: 'Id-en til et overordnet arrangement, for eksempel en festival: gir programmet, uten det overordnede arrangementet.',
    read: text,
    condition: keepNamed(CONTAINER_KIND),
    words: (id, { event }) => event(id),
  }),
  mode: filter({
    type: 'String',
    en: '`online` or `offline`. Anything else is `BAD_USER_INPUT`.',
    nb: '`online` eller `offline`. Alt annet er `BAD_USER_INPUT`.',
    read: parsed((name) => MODES.find((mode) => mode === name), '"online" or "offline"'),
    condition: (rows, mode, { columns }) => {
      const online = rowsFlagged(columns, 'online');
      if (mode === 'online') intersect(rows, online);
      else subtract(rows, online);
    },
    words: (mode) =>
      mode === 'online' ? ['på nett', 'online', 'på nett'] : ['med oppmøte', 'in person', 'med oppmøte'],
  }),
  onlyFeatured: filter({
    type: 'Boolean',
    en: 'True: only events featured by the organizer.',
    nb: 'Sann: bare det som arrangøren har fremhevet.',
    read: flag,
    condition: keepFlagged('featured'),
    words: () => ['fremhevet', 'featured', 'framheva'],
  }),
  onlyFeaturedSpecialEvent: filter({
    type: 'Boolean',
    en: "True: only events featured in the licence's special event; none if there is no such event.",
    nb: 'Sann: bare det som er fremhevet i lisensens hovedarrangement; ingenting når lisensen ikke har noe hovedarrangement.',
    read: flag,
    condition: keepFlagged('featuredInSpecialEvent'),
    words: () => [
      'fremhevet i hovedarrangementet',
      'featured in the special event',
      'framheva i hovudarrangementet',
    ],
  }),
};
