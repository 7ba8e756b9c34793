/** Who asks for what, how often the answer was at hand, and what the process takes. */

import { writeNumber, writeSpan } from '../pages/dates.ts';
import { type Content, html } from '../pages/html.ts';
import { inEach, type Language } from '../pages/reader.ts';
import { pairs, type Section, table, writeBytes } from '../pages/section.ts';
import type { Status } from './status.ts';
import type { Usage } from './traffic.ts';

export function trafficSection({ traffic, reuse, quota }: Status, language: Language): Section {
  const texts = TEXTS[language];
  const callers: Readonly<Record<string, string>> = texts.callers;
  const number = (value: number) => writeNumber(value, language);
  const usage = (caption: string, column: string, rows: readonly Usage[], name: (row: Usage) => Content) =>
    table({
      caption,
      columns: [
        { name: column },
        ...[texts.requests, texts.errors, texts.refused, texts.failed, texts.mean].map((title) => ({
          name: title,
          isNumber: true,
        })),
      ],
      rows: rows.map((row) => [
        name(row),
        ...[row.requests, row.errors, row.refused, row.failed].map(number),
        `${writeMilliseconds(row.meanMilliseconds, language)} ms`,
      ]),
    });
  return {
    id: 'traffic',
    title: texts.traffic,
    intro: html`<p>${texts.trafficIntro}</p>`,
    content: html`${pairs([
      [texts.requests, number(traffic.requests)],
      [texts.reuse, reuse.rate === null ? '–' : `${number(reuse.rate * 100)} %`],
      [texts.atHand, texts.entries(number(reuse.entries), writeBytes(reuse.bytes, language))],
      [texts.quota, quotaOf(quota, language)],
    ])}${usage(texts.callersCaption, texts.caller, traffic.callers, ({ kind, name }) => (name === '' ? (callers[kind] ?? kind) : name))}${usage(
      texts.operationsCaption,
      texts.operation,
      traffic.operations,
      ({ kind, name }) => html`<code>${kind}</code>${name !== '' && html` <code>${name}</code>`}`,
    )}${
      traffic.pageHosts.length > 0 &&
      table({
        caption: texts.hostsCaption,
        columns: [{ name: texts.host }, { name: texts.requests, isNumber: true }],
        rows: traffic.pageHosts.map(({ text, count }) => [text, number(count)]),
      })
    }`,
  };
}

function quotaOf(quota: Status['quota'], language: Language): Content {
  const texts = TEXTS[language];
  if (quota === null) return texts.noQuota;
  const callers: Readonly<Record<string, string>> = texts.callers;
  const number = (value: number) => writeNumber(value, language);
  const limit = (value: number | null) => (value === null ? texts.unlimited : texts.aMinute(number(value)));
  const refused = quota.refused.map(
    ({ kind, name, requests }) => `${name === '' ? (callers[kind] ?? kind) : name} ${number(requests)}`,
  );
  return html`${texts.limits(limit(quota.anonymous), limit(quota.keyed))}<br>${texts.limited}: ${
    refused.length === 0 ? '0' : refused.join(', ')
  }`;
}

export function processSection({ process }: Status, language: Language): Section {
  const texts = TEXTS[language];
  const { node, pid, uptimeSeconds, residentBytes, heapBytes } = process;
  return {
    id: 'process',
    title: texts.process,
    intro: html`<p>${texts.processIntro}</p>`,
    content: pairs([
      [texts.uptime, writeSpan(uptimeSeconds, language)],
      [texts.memory, texts.ofWhich(writeBytes(residentBytes, language), writeBytes(heapBytes, language))],
      ['Node', node],
      ['PID', String(pid)],
    ]),
  };
}

/** Answers at hand take hundredths of a millisecond. */
function writeMilliseconds(value: number, language: Language): string {
  return value < 1
    ? language === 'nb'
      ? value.toFixed(2).replace('.', ',')
      : value.toFixed(2)
    : writeNumber(value, language);
}

const TEXTS = inEach({
  nb: {
    traffic: 'Trafikk',
    trafficIntro: 'Siden start, for alle prosessene på denne maskinen.',
    requests: 'Forespørsler',
    reuse: 'Svar som lå klare',
    atHand: 'Ligger klare nå',
    quota: 'Kvote',
    noQuota: 'ingen',
    unlimited: 'ingen grense',
    aMinute: (count: string) => `${count} i minuttet`,
    limits: (anonymous: string, keyed: string) => `uten nøkkel ${anonymous}, for en applikasjon ${keyed}`,
    limited: 'Avvist med 429',
    entries: (count: string, bytes: string) => `${count} svar, ${bytes}`,
    errors: 'Med feil',
    refused: 'Avvist',
    failed: 'Svikt',
    mean: 'Middels tid',
    callersCaption: 'Etter hvem som spør',
    caller: 'Applikasjon',
    callers: { anonymous: 'uten nøkkel', operator: 'operatørens egne' },
    operationsCaption: 'Etter hva det spørres om',
    operation: 'Adresse og felt',
    hostsCaption: 'Nettsteder som viser arrangementene, sett av denne prosessen',
    host: 'Nettsted',
    process: 'Prosess',
    processIntro: 'Den av prosessene som svarte på dette.',
    uptime: 'Har gått i',
    memory: 'Minne',
    ofWhich: (resident: string, heap: string) => `${resident}, av det ${heap} i haugen`,
  },
  en: {
    traffic: 'Traffic',
    trafficIntro: 'Since the start, for all processes of this machine.',
    requests: 'Requests',
    reuse: 'Answers that were at hand',
    atHand: 'At hand now',
    quota: 'Quota',
    noQuota: 'none',
    unlimited: 'no limit',
    aMinute: (count) => `${count} a minute`,
    limits: (anonymous, keyed) => `without a key ${anonymous}, for an application ${keyed}`,
    limited: 'Refused with 429',
    entries: (count, bytes) => `${count} answers, ${bytes}`,
    errors: 'With errors',
    refused: 'Refused',
    failed: 'Failed',
    mean: 'Mean time',
    callersCaption: 'By who asks',
    caller: 'Application',
    callers: { anonymous: 'without a key', operator: "the operator's own" },
    operationsCaption: 'By what is asked for',
    operation: 'Path and field',
    hostsCaption: 'Sites that show the events, as seen by this process',
    host: 'Site',
    process: 'Process',
    processIntro: 'The one of them that answered this.',
    uptime: 'Has run for',
    memory: 'Memory',
    ofWhich: (resident, heap) => `${resident}, of which ${heap} on the heap`,
  },
});
