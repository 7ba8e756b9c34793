/** Norwegian descriptions of the queries, the filter and an event, by `Type.field`; those of plain fields are in their table. */
export const NORWEGIAN: Readonly<Record<string, string>> = {
  'Query.events':
    'Kommende arrangementer, én side om gangen, etter starten som vises, og så etter id. Et argument som ikke kan leses, gir `data: null` og en feil med koden `BAD_USER_INPUT`.',
  'Query.eventByID':
    'Arrangementet med denne id-en; null når det ikke finnes, eller når alle datoene er over.',
  'Query.eventBySlug':
    'Arrangementet med denne slugen; null når det ikke finnes, eller når alle datoene er over.',
  'Query.eventsBySlugs': 'Arrangementer etter slug, hvert av dem én gang, kronologisk. Ukjente utelates.',
  'Query.eventByTitle': 'Arrangementet med nøyaktig denne tittelen; av flere det første i tid.',
  'Query.allUpcomingSuperEvents': 'Festivaler, markeder og andre samlinger som ikke er over, kronologisk.',
  'Query.allUpcomingEventsInArea':
    'Kommende arrangementer med et sted innenfor firkanten, kantene medregnet, kronologisk. Er `minLongitude > maxLongitude`, går firkanten over datolinjen. Digitale arrangementer og steder uten posisjon er aldri innenfor.',
  'Query.categories':
    'Lisensens inndeling i dens egen rekkefølge, også skjulte kategorier. Les navnene herfra hver gang.',
  'Query.venues': 'Alle steder i norsk alfabetisk rekkefølge.',
  'Query.organizers': 'Alle arrangører i norsk alfabetisk rekkefølge.',
  'Query.changes':
    'Hva som er utgitt, endret og trukket tilbake etter et øyeblikksbilde, for den som har en kopi. Null for et ukjent eller mer enn 90 dager gammelt.',
  'Query.calendar':
    'Kalenderen selv. Spurt sammen med andre felt sier den hvilket øyeblikksbilde de er svart fra: sider med samme `snapshot.id` hører sammen. Spurt alene er den den billigste måten å se om noe nytt er publisert på.',

  'Filter.fromDate':
    'Tidspunkt. Det som ennå pågår da eller senere: ikke slutt, eller, uten sluttid, begynt for mindre enn tre timer siden. Uten det, og for det som er tidligere: nå.',
  'Filter.untilDate': 'Tidspunkt. Det som begynner før.',
  'Filter.fromStartDate': 'Tidspunkt. Det som begynner da eller senere; det som pågår, er ikke med.',
  'Filter.categories':
    'Id-er til kategorier eller underkategorier; én av dem er nok, en kategori også gjennom sine underkategorier. Ukjente id-er treffer ingenting.',
  'Filter.notCategories':
    'Id-er til kategorier eller underkategorier som utelates, en kategori med sine underkategorier.',
  'Filter.venues': 'Slugger til steder; ett av dem er nok.',
  'Filter.venueSlug': 'Slugen til ett sted.',
  'Filter.organizers': 'Slugger til arrangører; én av dem er nok.',
  'Filter.organizerSlug': 'Slugen til én arrangør.',
  'Filter.searchTerm':
    'Fritekst uten hensyn til store bokstaver og aksenter: hvert ord må finnes, som ord eller del av et ord, i titler, beskrivelser, stikkord, steder, arrangører eller kategorier. Finnes ingen slike kommende arrangementer, søkes det i titler og beskrivelser med én (ord på 3 til 5 bokstaver) eller to skrivefeil per ord. Bare de første 256 tegnene teller.',
  'Filter.tag': 'Ett av stikkordene i `Event.tags`, uten hensyn til store bokstaver og aksenter.',
  'Filter.mode': '`online` eller `offline`. Alt annet er `BAD_USER_INPUT`.',
  'Filter.superEvent': 'Id-en til en samling: programmet i den, uten samlingen selv.',
  'Filter.onlyFeatured': 'Sann: bare det som arrangøren har fremhevet.',
  'Filter.onlyFeaturedSpecialEvent':
    'Sann: bare det som er fremhevet i lisensens særlige arrangement; ingenting der det ikke er noe slikt.',
  'Filter.cancelledNotIncluded': 'Sann: uten det som er avlyst.',
  'Filter.soldOutNotIncluded': 'Sann: uten det som er utsolgt.',
  'Filter.hoursRange':
    '`HH:mm-HH:mm`, begge ender medregnet, gjerne over midnatt, `24:00` tillatt til høyre: det som begynner innenfor på norsk klokke.',
  'Filter.groupRepetitionsByDay':
    'Sann: hver kommende dag av et arrangement med flere datoer er en egen oppføring med dagens første start; dagens andre datoer er gjentakelsene. Antall, sider og fasetter teller disse.',
  'Filter.municipality':
    'Kommunens navn (uten hensyn til store bokstaver og aksenter) eller firesifrede nummer, etter stedets adresse.',
  'Filter.municipalities': 'Det samme for flere kommuner; én av dem er nok.',
  'Filter.postalCodes': 'Postnumre i stedets adresse; ett av dem er nok.',
  'Filter.period':
    'Et stykke norsk tid som snevrer inn vinduet slik `fromDate` og `untilDate` gjør: det som pågår når det begynner, er med, og det som begynner før det slutter.',
  'Filter.free': 'Sann: bare arrangementer med `ticketsInformation` lik `free`.',
  'Filter.near':
    'Sted innen så mange kilometer fra et punkt: `latitude` og `longitude` i grader, `km` over 0 og høyst 1000, målt på en kule. Digitale arrangementer og steder uten posisjon er aldri i nærheten.',
  'Filter.area':
    'Sted innenfor en firkant på kartet, som i `allUpcomingEventsInArea`: `minLatitude`, `maxLatitude`, `minLongitude` og `maxLongitude` i grader, kantene medregnet.',
  'Filter.accessibility':
    'Hva som gjør det tilgjengelig, som `WHEELCHAIR` og `SIGN_LANGUAGE`; alt må stemme, for arrangementet eller stedet.',
  'Filter.sortBy': 'Utgått. Rekkefølgen er alltid kronologisk; feltet har ingen virkning.',

  'Event.id': 'Arrangementets identitet så lenge det lever. Filtrer og lagre etter den.',
  'Event.occurrenceID':
    'Identiteten til datoen som vises, så lenge den lever: arrangementets id, `@` og starten i UTC, som `evt-052@20261120T203000Z`; den andre av ett arrangement med samme start slutter på `-2`. Lagre svar etter den der ett arrangement står flere ganger.',
  'Event.event_slug': 'Siste ledd i `eventLink`. Bare til visning.',
  'Event.eventLink': 'Arrangementets hele, åpne adresse.',
  'Event.title_nb': 'Norsk tittel.',
  'Event.title_en': 'Engelsk tittel.',
  'Event.desc_nb': 'Norsk beskrivelse: HTML som trygt kan settes inn i en side som den er.',
  'Event.desc_en': 'Engelsk beskrivelse: HTML som trygt kan settes inn i en side som den er.',
  'Event.startDate': 'Starten på datoen som vises, som tidspunkt.',
  'Event.endDate':
    'Slutten på datoen som vises, som tidspunkt; lik `startDate` når den er lagt ut uten sluttid.',
  'Event.startTime': 'Starten på norsk klokke, `HH:mm`, nøyaktig som den ble skrevet.',
  'Event.allDay':
    'Sann når datoen som vises, ble lagt ut uten klokkeslett: den går fra 00:00 den første dagen til 00:00 dagen etter den siste. Vis dager og ingen klokke.',
  'Event.duration':
    'Varigheten av datoen som vises, i minutter som går; null når den er lagt ut uten sluttid.',
  'Event.categories': 'Id-er til kategorier og underkategorier. Navnene kommer fra spørringen `categories`.',
  'Event.tags': 'Stikkord; filteret `tag` treffer ett av dem.',
  'Event.mode': '`online` eller `offline`.',
  'Event.venue': 'Stedet for datoen som vises.',
  'Event.organizers': 'Hvem som arrangerer.',
  'Event.images': 'Bilder; det første er forsidebildet.',
  'Event.repetitions': 'Kommende datoer etter den som vises, kronologisk.',
  'Event.ticketsInformation': '`free`, `noTicketsInfo` eller `ticketsInfo`.',
  'Event.prices': 'Billettpriser; de gjelder bare når `ticketsInformation` er `ticketsInfo`.',
  'Event.occurrencePrices': 'Prisene til datoen som vises; null når `prices` gjelder.',
  'Event.ticketsURL': 'Hvor billettene selges når de selges et annet sted, for datoen som vises.',
  'Event.eventCancelled': 'Sann når datoen som vises, er avlyst.',
  'Event.eventSoldOut': 'Det arrangøren selv har sagt om datoen som vises; det eneste tegnet på utsolgt.',
  'Event.super_event': 'Id-en til samlingen som arrangementet hører til.',
};
