/** `GET /changes.json?since=ID` (I7): the root field `changes` for clients without GraphQL. */
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { refuse } from '../../serve/graphql/refusal.ts';
import { CHANGES_TYPE } from '../../serve/graphql/types.ts';
import type { Endpoint, EndpointRequest, EndpointResult } from '../../serve/http/endpoint.ts';
import { passedOn } from '../../serve/http/koa.ts';
import { type ChangesJson, createChangesSince } from '../../snapshot/changes.ts';
import { listMiddleware } from '../events/endpoint.ts';
import { plainRefusalOptions } from '../events/list-refusals.ts';
import { invalidParameters } from '../events/query.ts';
import { type About, KEY } from '../facts/facts.ts';

const PATH = '/changes.json';
const TYPE = 'application/json; charset=utf-8';
const VARIED = ['Accept-Encoding'];

export function create({ clock }: Pick<ServeContext, 'clock'>): ServePart {
  return {
    routes: { [PATH]: { GET: passedOn, about: ABOUT } },
    endpoint: (core) => listMiddleware([ENDPOINT], { ...core, clock }),
  };
}

const ABOUT: About = {
  summary:
    'The events that were added, changed or removed after a given snapshot, for programs that keep a copy of the calendar.',
  parameters: {
    since: {
      about: 'The id of the snapshot that the copy comes from.',
      schema: { type: 'string' },
      isRequired: true,
    },
    key: KEY,
  },
  answer: {
    about: 'The ids of these events.',
    type: 'application/json',
    schema: { $ref: '#/components/schemas/Changes' },
  },
};

const ENDPOINT: Endpoint<EndpointRequest> = {
  route: PATH,
  keyOf: ({ search }) => `${PATH} ${search}`,
  typeFor: () => TYPE,
  execute: async ({ search }, pinBasis) => {
    const since = sinceOf(search);
    const { snapshot, now } = pinBasis();
    const found = await createChangesSince(snapshot)(since, now);
    return found === null ? refuse('GONE', UNKNOWN) : answerOf(found);
  },
  refusalOptions: (refusal) => plainRefusalOptions(refusal, VARIED),
};

const UNKNOWN =
  'Unknown or expired "since": expected the id of a snapshot of the last 90 days. Fetch all events again, ' +
  'with calendar.snapshot.id, and continue from that id';

/** Throws BAD_USER_INPUT. */
function sinceOf(search: string): string {
  const parameters = new URLSearchParams(search);
  const [since = '', ...more] = parameters.getAll('since');
  const others = [...parameters.keys()].filter((name) => name !== 'since');
  if (since !== '' && more.length === 0 && others.length === 0) return since;
  const isSinceInvalid = since === '' || more.length > 0;
  const names = isSinceInvalid ? ['since', ...others] : others;
  throw invalidParameters(names, [
    'expected the parameter "since" once, with the id of a snapshot, and no other parameter except "key"',
  ]);
}

function answerOf(found: ChangesJson): EndpointResult {
  const fields = Object.entries(CHANGES_TYPE.leaves).map(([name, leaf]) => `"${name}":${leaf(found)}`);
  const body = Buffer.from(`{${fields.join(',')}}\n`);
  return {
    body: [body],
    isTagged: true,
    headers: ['Vary', VARIED.join(', ')],
    operationName: undefined,
    rootField: 'changes',
    hasErrors: false,
    dependsOnDay: false,
  };
}
