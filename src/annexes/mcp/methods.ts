/** The methods of the protocol (I14), and the tools that `tools/call` can call. */
import { shortened } from '../../calendar/display-text.ts';
import { isCalendarError } from '../../calendar/errors.ts';
import { isObject } from '../../calendar/json.ts';
import { createNearest, withNearest } from '../../calendar/nearest.ts';
import { packageVersion } from '../../package.ts';
import type { AnswerBasis, PinBasis } from '../../serve/graphql/answer.ts';
import { readArguments, schemaOf } from './arguments.ts';
import { FIND_EVENTS } from './find-events.ts';
import { GET_EVENT } from './get-event.ts';
import { LIST_CHOICES } from './list-choices.ts';
import { type Fault, type Request, refused, versionFor } from './protocol.ts';
import { type CallResult, resultOf, type Tool } from './tool.ts';

/** A message that can be answered. */
export interface Call {
  readonly message: Request;
  /** Name of the tool, or of the method. */
  readonly name: string;
  /** All that the result depends on besides the name and the calendar. */
  readonly key: string;
  readonly answer: (pinBasis: PinBasis) => Promise<CallResult>;
}

export function callOf(message: Request): Call | Fault {
  const { id, method } = message;
  const call = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (call !== undefined) return call(message);
  const name = JSON.stringify(shortened(method, 60));
  return refused('unknownMethod', `There is no method ${name}.`, { id, status: 200 });
}

const METHODS: Readonly<Record<string, (message: Request) => Call | Fault>> = {
  initialize,
  ping: (message) => plainCall(message, () => ({})),
  'tools/list': (message) => plainCall(message, () => ({ tools: Object.entries(TOOLS).map(describe) })),
  'tools/call': callTool,
};

const TOOLS: Readonly<Record<string, Tool>> = {
  find_events: FIND_EVENTS,
  get_event: GET_EVENT,
  list_choices: LIST_CHOICES,
};

/** A call whose result depends on no arguments but those in `key`. */
function plainCall(message: Request, answer: (pinBasis: PinBasis) => object, key = ''): Call {
  return {
    message,
    name: message.method,
    key,
    answer: async (pinBasis) => ({ json: JSON.stringify(answer(pinBasis)), isError: false }),
  };
}

function initialize(message: Request): Call {
  const protocolVersion = versionFor(message.params.protocolVersion);
  const answer = (pinBasis: PinBasis) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: {
      name: 'almanakk',
      title: pinBasis().snapshot.lists.licence.name,
      version: packageVersion(),
    },
    instructions: INSTRUCTIONS,
  });
  return plainCall(message, answer, protocolVersion);
}

const INSTRUCTIONS =
  'Upcoming events of a region in Norway, correct to the second. find_events searches, get_event returns all dates and prices of one event, ' +
  'and list_choices lists categories, municipalities, venues and tags. Set `language` to the language of the person: nb (Bokmål), nn (Nynorsk) or en. Times are in Norwegian local time. ' +
  'Give the weekday, time, place and price exactly as they are written here, and link to the event. Events have no weather forecast: titles, summaries and venues show which are indoors.';

function describe([name, { title, about, parameters, outputSchema }]: readonly [string, Tool]) {
  return {
    name,
    title,
    description: about,
    inputSchema: schemaOf(parameters),
    outputSchema,
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

function callTool(message: Request): Call | Fault {
  const { id, params } = message;
  const { name } = params;
  const given = params.arguments ?? {};
  const found = typeof name === 'string' && Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (typeof name !== 'string' || found === undefined) {
    const expected = withNearest(Object.keys(TOOLS).join(', '), nearestTool(`${name}`));
    return refused('invalidParams', `Expected the name of a tool: ${expected}.`, { id, status: 200 });
  }
  if (!isObject(given))
    return refused('invalidParams', 'Expected "arguments" to be an object.', { id, status: 200 });
  const { values, faults } = readArguments(found.parameters, given);
  if (faults.length > 0)
    return { message, name, key: faults.join('\n'), answer: async () => resultOf({ faults }) };
  return {
    message,
    name,
    key: JSON.stringify(values),
    answer: async (pinBasis) => resultOf(await answerOf(found, values, pinBasis())),
  };
}

const nearestTool = createNearest(Object.keys(TOOLS), (name) => [name]);

/** A value that the filter cannot read is a fault of the call, for the program to correct. */
async function answerOf(found: Tool, values: object, basis: AnswerBasis) {
  try {
    return await found.answer(values, basis);
  } catch (thrown) {
    if (!isCalendarError(thrown) || thrown.code !== 'BAD_USER_INPUT') throw thrown;
    return { faults: thrown.reasons ?? [thrown.message] };
  }
}
