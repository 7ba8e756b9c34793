/** A walk through the interface: questions about this calendar with the answers that the endpoint gives at this moment. */
import type { Category } from '../../../calendar/model.ts';
import type { AnswerBasis, ExecuteRequest } from '../../../serve/graphql/answer.ts';
import { isRefusal } from '../../../serve/graphql/refusal.ts';
import type { View } from '../../../serve/query/view.ts';
import type { Colour } from '../../page/highlight.ts';
import { html } from '../../page/html.ts';
import { details, example, type Section } from '../../page/parts.ts';
import { type InBoth, inBoth, type TechnicalLanguage } from '../../page/reader.ts';

interface Step extends InBoth<readonly [title: string, text: string]> {
  readonly query: (values: Values) => string;
}

/** Values of this calendar, for the queries. */
interface Values {
  /** Id of a category, and its label in a Norwegian reader's words, as they stand within a string of GraphQL. */
  readonly category: string;
  readonly label: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** A step with its query and the JSON of the answer. */
export interface WalkedStep {
  readonly step: string;
  readonly texts: InBoth<readonly [title: string, text: string]>;
  readonly query: string;
  readonly answer: string;
}

interface Walk {
  readonly walked: readonly WalkedStep[];
  readonly language: TechnicalLanguage;
  readonly colour: Colour;
}

/** The first few are in view, the others folded. */
export function walk({ walked, language, colour }: Walk): Section {
  const { title, short, intro } = TEXTS[language];
  const steps = walked.map(({ step, texts, query, answer }, place) => {
    const [name, text] = texts[language];
    const id = `walk-${step}`;
    const heading = html`<h3 id="${id}">${name}</h3>`;
    const label = `${TEXTS[language].answer}: ${name}`;
    const content = html`<p>${text}</p>
<div class="asked">
${example(id, colour(query, 'graphql'))}<pre class="example answer" role="region" aria-label="${label}" tabindex="0"><code>${colour(answer, 'json')}</code></pre>
</div>
`;
    return place < OPEN ? html`${heading}\n${content}` : details(heading, content);
  });
  return {
    id: 'walk',
    title,
    short,
    intro: html`<p>${intro}</p>`,
    isWide: true,
    content: steps,
  };
}

const OPEN = 3;

/** The answers of the endpoint, without the notice to calls without a key. */
export async function walkThrough(
  about: About,
  basis: AnswerBasis,
  executeRequest: ExecuteRequest,
): Promise<readonly WalkedStep[]> {
  const values = valuesFor(about);
  const walked: WalkedStep[] = [];
  for (const [step, texts] of Object.entries(STEPS)) {
    const query = texts.query(values);
    const result = await executeRequest({ query, variables: {}, operationName: undefined }, () => basis);
    if (isRefusal(result)) continue;
    const body: object = JSON.parse(Buffer.concat(result.body).toString());
    const { hints = [] } = result;
    const whole = hints.length === 0 ? body : { ...body, extensions: { hints } };
    walked.push({ step, texts, query, answer: JSON.stringify(whole, null, 2) });
  }
  return walked;
}

interface About {
  readonly view: View;
  /** The top-level category with most events. */
  readonly busiest: Partial<Category> | undefined;
}

/** The busiest category, and the position of the first venue that has one. */
function valuesFor({ view, busiest }: About): Values {
  const { id = 'MUSIC', name_nb = 'Musikk' } = busiest ?? {};
  const location = view.lists.venues.find((venue) => venue.location !== null)?.location;
  const rounded = (degrees: number) => Math.round(degrees * 100) / 100;
  return {
    category: escaped(id),
    label: escaped(name_nb),
    latitude: rounded(location?.latitude ?? 63.43),
    longitude: rounded(location?.longitude ?? 10.4),
  };
}

/** Within a string of GraphQL. */
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

const STEPS: Readonly<Record<string, Step>> = {
  weekend: {
    nb: [
      'Hva skjer i helgen?',
      'Helgen begynner fredag kl. 16 norsk tid, og arrangementer som pågår da, er med. Sidene telles fra 0. Bla videre så lenge hasMore er sann; totalCount gir antallet.',
    ],
    en: [
      'What is on this weekend?',
      'The weekend begins on Friday at 16:00 Norwegian time, and includes events in progress then. Pages count from 0. Fetch more pages while hasMore is true; totalCount has the total.',
    ],
    query: () => `{
  events(filter: { period: WEEKEND }, page: 0, pageSize: 2) {
    totalCount
    hasMore
    data { id title_nb startDate venue { name } }
  }
}`,
  },
  select: {
    nb: [
      'En nedtrekksliste med antall',
      'Filteret gir listen. Det samme filteret uten kategori gir antallet for hvert valg, i samme svar.',
    ],
    en: [
      'A drop-down list with counts',
      'The filter returns the list. In the same response, the filter without its category returns the count for each choice.',
    ],
    query: ({ category }) => `{
  shown: events(filter: { period: WEEKEND, categories: ["${category}"] }, pageSize: 1) {
    totalCount
    data { title_nb }
  }
  choices: events(filter: { period: WEEKEND }, pageSize: 1) {
    categories(first: 3) { id name_nb hits }
  }
}`,
  },
  near: {
    nb: ['I nærheten', 'Innen to kilometer fra et punkt. Rund av brukerens posisjon, og send den med POST.'],
    en: [
      'Near a place',
      'Within two kilometres of a point. Round your users’ positions, and send them by POST.',
    ],
    query: ({ latitude, longitude }) => `{
  events(filter: { near: { latitude: ${latitude}, longitude: ${longitude}, km: 2 } }, pageSize: 1) {
    totalCount
    data { title_nb venue { name location { latitude longitude } } }
    accessibilities { value hits }
  }
}`,
  },
  details: {
    nb: [
      'Bilder, priser og datoer',
      'Det første bildet er hovedbildet. Prisene gjelder når ticketsInformation er ticketsInfo. first begrenser antallet.',
    ],
    en: [
      'Pictures, prices and dates',
      'The first image is the cover. Prices apply when ticketsInformation is ticketsInfo. first limits the number.',
    ],
    query: ({ category }) => `{
  events(filter: { categories: ["${category}"] }, pageSize: 1) {
    data {
      title_nb
      images { urlSmall alt focusX focusY }
      ticketsInformation
      prices { type price name_nb }
      accessibility
      repetitions(first: 1) { startDate }
    }
  }
}`,
  },
  typo: {
    nb: [
      'Et søk med skrivefeil',
      'Når ingenting treffer ordrett, tåler søket skrivefeil, og approximate er sann.',
    ],
    en: [
      'A search with a typing error',
      'If nothing matches exactly, the search allows for typing errors, and approximate is true.',
    ],
    query: () => `{
  events(filter: { searchTerm: "konsrt" }, pageSize: 1) {
    approximate
    totalCount
  }
}`,
  },
  error: {
    nb: [
      'En feil',
      'Svaret har HTTP 200, og data er null. extensions.reasons sier hva som er galt, og gir et gyldig eksempel.',
    ],
    en: [
      'An error',
      'The response has HTTP 200, and data is null. extensions.reasons explains the error, with a valid example.',
    ],
    query: () => `{
  events(filter: { fromDate: "30.02.2026" }) {
    totalCount
  }
}`,
  },
  hint: {
    nb: [
      'Et filter uten mulige treff',
      'Ingen feil, bare et tomt svar. extensions.hints foreslår hva du kan ha ment.',
    ],
    en: [
      'A filter that cannot match anything',
      'There is no error, only an empty result. extensions.hints suggests what you may have meant.',
    ],
    query: ({ label }) => `{
  events(filter: { categories: ["${label}"] }) {
    totalCount
  }
}`,
  },
};

const TEXTS = inBoth({
  title: ['En rundtur', 'A tour'],
  short: ['Rundtur', 'Tour'],
  intro: [
    'Sju spørsmål til denne kalenderen, hvert med svaret den gir akkurat nå.',
    'Seven queries to this calendar, each with its current result.',
  ],
  answer: ['Svaret', 'The answer'],
});
