/** Concerns about the way from and to other servers: the origin, the object store and hooks. */
import { ANOTHER_CALENDAR } from '../../common/upkeep.ts';
import type { Health } from '../health.ts';
import { plainly } from '../reasons.ts';
import { because, type Concerns, type Found, foundIn } from './concern.ts';

/** Those that do most harm first. */
export const OF_COPIES: Concerns = {
  'origin out of reach': {
    what: {
      nb: 'Serveren som kalenderen kopieres fra, svarer ikke. Siste kopi er i bruk.',
      en: 'The origin cannot be reached. The server uses the last copy.',
      nn: 'Serveren som kalenderen blir kopiert frå, svarar ikkje. Siste kopi er i bruk.',
    },
    advice: {
      nb: 'Kontroller serveren i ALMANAKK_ORIGIN og nettverksforbindelsen dit.',
      en: 'Check the server in ALMANAKK_ORIGIN, and the network connection to it.',
      nn: 'Kontroller serveren i ALMANAKK_ORIGIN og nettverkssambandet dit.',
    },
    find: ({ replica }) => replica?.outOfReach && because(replica.outOfReachSince, replica.outOfReach),
  },
  'store failing': {
    what: {
      nb: 'Objektlageret har ikke den nyeste kalenderen. Servere som kopierer derfra, har den forrige.',
      en: 'The object store does not have the latest calendar. Replicas that copy from it have the previous one.',
      nn: 'Objektlageret har ikkje den nyaste kalenderen. Serverar som kopierer derifrå, har den førre.',
    },
    advice: {
      nb: 'Kontroller at lageret svarer, og at nøkkelen er gyldig.',
      en: 'Check that the store answers, and that its key is valid.',
      nn: 'Kontroller at lageret svarar, og at nøkkelen er gyldig.',
    },
    find: ({ store }) =>
      store?.failing &&
      store.failing.why !== ANOTHER_CALENDAR &&
      because(store.failing.since, store.failing.reason),
  },
  'another calendar': {
    what: {
      nb: 'Lageret har en annen kalender. Derfor er ikke den nyeste kalenderen herfra publisert dit.',
      en: 'The store contains another calendar, so the latest snapshot of this one has not been published there.',
      nn: 'Lageret har ein annan kalender. Difor er ikkje den nyaste kalenderen herifrå publisert dit.',
    },
    advice: {
      nb: 'Gi hver kalender sitt eget sted i ALMANAKK_PUBLISH og ALMANAKK_PUBLISH_PUBLIC. Har denne kalenderen fått ny id i licence.json, sletter du manifest.json i lageret.',
      en: 'Give each calendar a place of its own in ALMANAKK_PUBLISH and ALMANAKK_PUBLISH_PUBLIC. If this calendar has a new id in licence.json, delete manifest.json there.',
      nn: 'Gi kvar kalender sin eigen stad i ALMANAKK_PUBLISH og ALMANAKK_PUBLISH_PUBLIC. Har denne kalenderen fått ny id i licence.json, slettar du manifest.json i lageret.',
    },
    find: ({ store }) =>
      store?.failing?.why === ANOTHER_CALENDAR && because(store.failing.since, store.failing.reason),
  },
  'another builder': {
    what: {
      nb: 'En annen byggeserver publiserer til samme objektlager.',
      en: 'Another builder publishes to the same object store.',
      nn: 'Ein annan byggjeserver publiserer til same objektlager.',
    },
    advice: {
      nb: 'Fjern ALMANAKK_PUBLISH fra en av dem.',
      en: 'Unset ALMANAKK_PUBLISH on one of them.',
      nn: 'Fjern ALMANAKK_PUBLISH frå ein av dei.',
    },
    find: ({ store }) => store?.rival && because(store.rival.seenAt, store.rival.id),
  },
  'hook failing': {
    what: {
      nb: 'Et varsel om en ny kalender kom ikke frem til mottakeren.',
      en: 'A notification about a new snapshot did not reach its receiver.',
      nn: 'Eit varsel om ein ny kalender kom ikkje fram til mottakaren.',
    },
    advice: {
      nb: 'Kontroller adressen i ALMANAKK_HOOKS.',
      en: 'Check the address in ALMANAKK_HOOKS.',
      nn: 'Kontroller adressa i ALMANAKK_HOOKS.',
    },
    partsOver: {
      nb: 'Disse mottakerne får varsler igjen',
      en: 'These receivers get notifications again',
      nn: 'Desse mottakarane får varsel igjen',
    },
    find: failingHooks,
  },
};

function failingHooks({ hooks }: Health): Found | null {
  const parts = hooks.map(({ host, number, since, reason }) => {
    const id = `${host} #${number}`;
    return { id, since, detail: plainly(reason, id) };
  });
  return foundIn(parts);
}
