/** The endpoint's answer about the occurrences that a feed should hold. */
import { clientOf } from '../../../helpers/client.ts';

export interface Place {
  readonly name: string;
  readonly address: string | null;
  readonly location: { readonly latitude: number; readonly longitude: number } | null;
}

export interface Occurrence {
  readonly id: string;
  readonly startDate: string;
  readonly endDate: string;
  readonly allDay: boolean;
  readonly eventCancelled: boolean;
  readonly eventSoldOut: boolean;
  readonly venue: Place | null;
}

export interface Node extends Omit<Occurrence, 'id'> {
  readonly id: string;
  readonly occurrenceID: string;
  readonly title_nb: string | null;
  readonly title_en: string | null;
  readonly eventLink: string;
  readonly mode: string;
  readonly streamingURL: string | null;
  readonly publishingDate: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly categories: readonly string[];
  readonly repetitions: readonly Occurrence[];
}

const DATE =
  'startDate endDate allDay eventCancelled eventSoldOut venue { name address location { latitude longitude } }';
const QUERY = `query ($filter: Filter, $page: Int, $pageSize: Int) {
  events(filter: $filter, page: $page, pageSize: $pageSize) {
    data {
      id occurrenceID title_nb title_en eventLink mode streamingURL categories publishingDate created_at updated_at ${DATE}
      repetitions { id ${DATE} }
    }
  }
}`;

interface Asked {
  readonly filter?: object;
  readonly page?: number;
  readonly pageSize?: number;
}

/** The nodes of a page of `events`. */
export async function nodesOf(url: string, asked: Asked = {}): Promise<readonly Node[]> {
  const variables = { pageSize: 250, ...asked };
  const { events } = await clientOf(url).ask<{ events: { data: readonly Node[] } }>(QUERY, variables);
  return events.data;
}

/** Each node's shown occurrence and its repetitions, with its node. */
export function occurrencesIn(nodes: readonly Node[]): readonly (Occurrence & { readonly node: Node })[] {
  return nodes.flatMap((node) => [
    { ...node, id: node.occurrenceID, node },
    ...node.repetitions.map((repetition) => ({ ...repetition, node })),
  ]);
}

/** The text in the feed's language, else in the other one. */
export function titleOf({ title_nb, title_en }: Node, language: 'nb' | 'en' = 'nb'): string {
  return (language === 'nb' ? (title_nb ?? title_en) : (title_en ?? title_nb)) ?? '';
}
