/** Questions about this calendar, each with the answer that the endpoint gives at this moment. */
import { type AnswerBasis, type ExecuteRequest, isRefusal } from '../../../serve/graphql/execute.ts';
import type { View } from '../../../serve/query/view.ts';

const STEPS = ['weekend', 'paging', 'select', 'near', 'details', 'typo', 'error', 'hint'] as const;
export type Step = (typeof STEPS)[number];

export interface Walked {
  readonly step: Step;
  readonly query: string;
  /** JSON. */
  readonly answer: string;
}

interface Values {
  /** Id of a category with events. */
  readonly category: string;
  /** In a Norwegian reader's words, which are no id. */
  readonly label: string;
  readonly latitude: number;
  readonly longitude: number;
}

const QUERIES: Readonly<Record<Step, (values: Values) => string>> = {
  weekend: () => `{
  events(filter: { period: WEEKEND }, pageSize: 2) {
    totalCount
    data { id title_nb startDate venue { name } }
  }
}`,
  paging: () => `{
  events(filter: { period: WEEKEND }, page: 1, pageSize: 2) {
    hasMore
    pageInfo { currentPage pageSize totalPages }
    data { id title_nb }
  }
}`,
  select: ({ category }) => `{
  shown: events(filter: { period: WEEKEND, categories: ["${category}"] }, pageSize: 1) {
    totalCount
    data { title_nb }
  }
  choices: events(filter: { period: WEEKEND }, pageSize: 1) {
    categories(first: 3) { id name_nb hits }
  }
}`,
  near: ({ latitude, longitude }) => `{
  events(filter: { near: { latitude: ${latitude}, longitude: ${longitude}, km: 2 } }, pageSize: 1) {
    totalCount
    data { title_nb venue { name location { latitude longitude } } }
    accessibilities { value hits }
  }
}`,
  details: ({ category }) => `{
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
  typo: () => `{
  events(filter: { searchTerm: "konsrt" }, pageSize: 1) {
    approximate
    totalCount
  }
}`,
  error: () => `{
  events(filter: { fromDate: "30.02.2026" }) {
    totalCount
  }
}`,
  hint: ({ label }) => `{
  events(filter: { categories: ["${label}"] }) {
    totalCount
  }
}`,
};

/** Answers as the endpoint gives them, but for the notice to calls without a key. */
export async function walkThrough(
  view: View,
  basis: AnswerBasis,
  executeRequest: ExecuteRequest,
): Promise<readonly Walked[]> {
  const values = valuesFor(view);
  const walked: Walked[] = [];
  for (const step of STEPS) {
    const query = QUERIES[step](values);
    const result = await executeRequest({ query, variables: {}, operationName: undefined }, () => basis);
    if (isRefusal(result)) continue;
    const body: object = JSON.parse(Buffer.concat([result.body].flat()).toString());
    const { hints = [] } = result;
    const whole = hints.length === 0 ? body : { ...body, extensions: { hints } };
    walked.push({ step, query, answer: JSON.stringify(whole, null, 2) });
  }
  return walked;
}

/** A top-level category with most events, and the place of the first venue that has one. */
function valuesFor(view: View): Values {
  const { lists, facets } = view;
  const hits = facets.entities(view.unfilteredCounts(), 'categories', null);
  const tops = hits.flatMap(({ ordinal }) => lists.categories[ordinal] ?? []);
  const { id = 'MUSIC', name_nb = 'Musikk' } = tops.find(({ parent }) => parent === -1) ?? {};
  const location = lists.venues.find((venue) => venue.location !== null)?.location;
  const rounded = (degrees: number) => Math.round(degrees * 100) / 100;
  return {
    category: written(id),
    label: written(name_nb),
    latitude: rounded(location?.latitude ?? 63.43),
    longitude: rounded(location?.longitude ?? 10.4),
  };
}

/** Within a string of GraphQL. */
const written = (text: string): string => JSON.stringify(text).slice(1, -1);
