/** The words of `/status`, in Norwegian and English. */
import { inEach } from '../page/reader.ts';

export const TEXTS = inEach({
  title: ['Status', 'Status'],
  description: [
    'Hvordan det står til med kalenderen og tjenesten.',
    'How the calendar and the service are doing.',
  ],
  metrics: ['Måltall for Prometheus', 'Metrics for Prometheus'],
  allWell: [(state: string) => `${state}. Alt er i orden.`, (state: string) => `${state}. All is well.`],
  state: [
    { serving: 'I drift', waiting: 'Venter på kalenderen', stopping: 'På vei ned' },
    { serving: 'Serving', waiting: 'Waiting for the calendar', stopping: 'Going down' },
  ],
  since: ['Siden', 'Since'],
  more: ['Mer om dette', 'More about this'],
  snapshot: ['Øyeblikksbilde', 'Snapshot'],
  ago: [(span: string) => `for ${span} siden`, (span: string) => `${span} ago`],
  nextChange: ['Neste endring i et svar', 'Next change of an answer'],
  never: ['aldri', 'never'],
  unknown: ['ikke kjent', 'not known'],
  events: ['Arrangementer', 'Events'],
  counts: [
    (upcoming: string, events: string, occurrences: string) =>
      `${upcoming} kommende; ${events} med ${occurrences} datoer i filen`,
    (upcoming: string, events: string, occurrences: string) =>
      `${upcoming} upcoming; ${events} with ${occurrences} dates in the file`,
  ],
  refusal: ['Sist avvist', 'Last refused'],
  copy: ['Sist kopiert', 'Last copied'],
  lag: ['etterslep', 'lag'],
  store: ['Objektlager', 'Object store'],
  nothing: ['ingenting', 'nothing'],
  sent: [(bytes: string) => `${bytes} siden start`, (bytes: string) => `${bytes} since the start`],
  process: [
    (span: string, memory: string) => `har gått i ${span} med ${memory} minne`,
    (span: string, memory: string) => `has run for ${span} with ${memory} of memory`,
  ],

  builds: ['Bygginger', 'Builds'],
  strip: [
    (count: string, failed: string) =>
      `De siste ${count} på denne maskinen, den nyeste til høyre; høyden er tiden. Mislyktes: ${failed}.`,
    (count: string, failed: string) =>
      `The last ${count} on this machine, the latest on the right; the height is the time. Failed: ${failed}.`,
  ],
  copied: ['kopi, ', 'copy, '],
  outcomes: [
    { published: 'utgitt', unchanged: 'uendret', failed: 'mislyktes' },
    { published: 'published', unchanged: 'unchanged', failed: 'failed' },
  ],
  changesCaption: ['De siste byggingene som endret noe', 'The latest builds that changed something'],
  built: ['Bygd', 'Built'],
  which: ['Hvilke', 'Which'],
  changed: [
    { added: 'Nye', changed: 'Endret', renamed: 'Nytt navn', removed: 'Fjernet' },
    { added: 'Added', changed: 'Changed', renamed: 'Renamed', removed: 'Removed' },
  ],

  source: ['Kilden', 'The source'],
  records: ['Poster som ble beholdt:', 'Records that were kept:'],
  kept: [
    (kept: string, read: string) => `${kept} av ${read}`,
    (kept: string, read: string) => `${kept} of ${read}`,
  ],
  over: [
    (count: string) => `Av arrangementene som ble beholdt, er ${count} over og ikke med i kalenderen.`,
    (count: string) => `Of the events that were kept, ${count} are over and not in the calendar.`,
  ],
  feedsCaption: ['Kilder som kalenderen henter inn', 'Feeds that the calendar takes in'],
  feed: ['Kilde', 'Feed'],
  kind: ['Slag', 'Kind'],
  feedState: ['Tilstand', 'State'],
  readAt: ['Sist hentet', 'Last read'],
  why: ['Grunn', 'Why'],
  states: [
    { ok: 'i orden', stale: 'svikter, siste gode brukes', failed: 'svikter' },
    { ok: 'well', stale: 'failing, its last good records are used', failed: 'failing' },
  ],

  traffic: ['Trafikk', 'Traffic'],
  trafficIntro: [
    'Tallene er siden start, for alle prosessene på denne maskinen; kurvene er fra den av dem som svarte på dette.',
    'The figures are since the start, for all processes of this machine; the plots are of the one that answered this.',
  ],
  requestsPlot: [
    (most: string) => `Forespørsler i timen, siste døgn; mest ${most}`,
    (most: string) => `Requests an hour, the last day; most ${most}`,
  ],
  p95Plot: [
    (most: string) => `95 av 100 svar var gjort innen, siste døgn; mest ${most}`,
    (most: string) => `95 of 100 answers were done within, the last day; most ${most}`,
  ],
  requests: ['Forespørsler', 'Requests'],
  reuse: [
    (rate: string) => `${rate} av svarene lå klare`,
    (rate: string) => `${rate} of the answers were at hand`,
  ],
  load: ['Arbeid', 'Work'],
  work: [
    (working: string, waiting: string, refused: string) =>
      `${working} i gang, ${waiting} venter, ${refused} avvist med 503`,
    (working: string, waiting: string, refused: string) =>
      `${working} under way, ${waiting} waiting, ${refused} refused with 503`,
  ],
  quota: ['Kvote', 'Quota'],
  unlimited: ['ingen grense', 'no limit'],
  aMinute: [(count: string) => `${count} i minuttet`, (count: string) => `${count} a minute`],
  limits: [
    (anonymous: string, keyed: string) => `uten nøkkel ${anonymous}, for en applikasjon ${keyed}`,
    (anonymous: string, keyed: string) => `without a key ${anonymous}, for an application ${keyed}`,
  ],
  errors: ['Med feil', 'With errors'],
  refused: ['Avvist', 'Refused'],
  failed: ['Svikt', 'Failed'],
  mean: ['Middels tid', 'Mean time'],
  whoAsks: ['Hvem som spør, og om hva', 'Who asks, and for what'],
  callersCaption: ['Etter hvem som spør', 'By who asks'],
  caller: ['Applikasjon', 'Application'],
  callers: [
    { anonymous: 'uten nøkkel', operator: 'operatørens egne' },
    { anonymous: 'without a key', operator: "the operator's own" },
  ],
  operationsCaption: ['Etter hva det spørres om', 'By what is asked for'],
  operation: ['Adresse og felt', 'Path and field'],
});
