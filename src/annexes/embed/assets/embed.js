// <almanakk-events>: the calendar on any page, as one custom element.
//
//   <script src="https://calendar.example/embed.js" defer></script>
//   <almanakk-events categories="MUSIC" limit="5" lang="nb" heading="Konserter"></almanakk-events>
//
// Attributes are the fields of the filter (lists with commas, flags as `true`), `limit`, `lang`, `heading`, `pictures`, `theme` and `key`, and
// `nearMe`: a number of kilometres around the reader, whose position a button requests. `link` is the address of the page's own event pages,
// and `home` that of its own calendar, to which the name of the calendar then leads. The element's content is shown if the calendar cannot be
// reached. A page's content security policy only needs this server in `script-src` and `connect-src`, and with `pictures` the hosts of pictures
// in `img-src`. The console lists the mistakes in a page's attributes.
{
  /** Each field of the filter by its kind: `list`, `flag`, `number`, `text`, or the names of several numbers. The server writes them here. */
  const FIELDS = {};
  const sorted = (values) => values.map((one) => one.trim()).sort();
  /** The parameters of an address, without their name, for the value of an attribute. Equal lists have equal addresses, so caches share them. */
  const KINDS = {
    list: (value) => [sorted(value.split(','))],
    words: (value) => sorted(value.trim().split(/\s+/)),
    flag: (value) => [value === 'true'],
    number: (value) => [Number(value)],
    text: (value) => [value],
  };

  /** HTML has attributes in lower case only. */
  const OTHERS = ['limit', 'lang', 'heading', 'pictures', 'key', 'nearMe', 'link', 'home'];
  const ATTRIBUTES = [...Object.keys(FIELDS), ...OTHERS].map((name) => name.toLowerCase());

  /** Names with a hyphen belong to frameworks, and properties of the element to HTML. */
  const isUnknown = (element, name) =>
    /^[a-z]+$/.test(name) &&
    ![...ATTRIBUTES, 'theme', 'class', 'tabindex'].includes(name) &&
    !(name in element);

  const LANGUAGES = ['nb', 'en', 'nn'];
  /** In each of these languages. Browsers need no data of Nynorsk: its dates and numbers are those of Bokmål, but for some weekdays. */
  const WORDS = {
    locale: ['nb-NO', 'en-GB', 'nb-NO'],
    events: ['Arrangementer', 'Events', 'Arrangement'],
    loading: ['Henter arrangementer …', 'Loading events …', 'Hentar arrangement …'],
    none: ['Ingen kommende arrangementer.', 'No upcoming events.', 'Ingen kommande arrangement.'],
    failed: [
      'Kalenderen svarer ikke akkurat nå.',
      'The calendar is not responding.',
      'Kalenderen svarar ikkje akkurat no.',
    ],
    stale: [
      'Listen kunne ikke oppdateres. Sist oppdatert kl.',
      'The list could not be updated. Last updated at',
      'Lista kunne ikkje oppdaterast. Sist oppdatert kl.',
    ],
    again: ['Prøv igjen', 'Try again', 'Prøv igjen'],
    cancelled: ['Avlyst', 'Cancelled', 'Avlyst'],
    postponed: ['Utsatt', 'Postponed', 'Utsett'],
    moved: ['Flyttet fra', 'Moved from', 'Flytta frå'],
    clock: ['kl. ', '', 'kl. '],
    soldOut: ['Utsolgt', 'Sold out', 'Utselt'],
    online: ['På nett', 'Online', 'På nett'],
    until: ['Til og med', 'Until', 'Til og med'],
    also: ['også', 'also', 'også'],
    free: ['Gratis', 'Free', 'Gratis'],
    near: ['Nær meg', 'Near me', 'Nær meg'],
    rounded: [
      'Posisjonen din avrundes til nærmeste kilometer.',
      'Your location is rounded to the nearest kilometre.',
      'Posisjonen din blir avrunda til næraste kilometer.',
    ],
    nowhere: [
      'Vi fikk ikke posisjonen din. Tillat posisjon i nettleseren.',
      'We could not get your location. Allow it in your browser.',
      'Vi fekk ikkje posisjonen din. Tillat posisjon i nettlesaren.',
    ],
  };
  /** The words in each language. */
  const ACCESSIBILITY = {
    WHEELCHAIR: ['Rullestoltilgang', 'Wheelchair access', 'Rullestoltilgang'],
    HEARING_LOOP: ['Teleslynge', 'Hearing loop', 'Teleslyngje'],
    SIGN_LANGUAGE: ['Tegnspråk', 'Sign language', 'Teiknspråk'],
    SUBTITLES: ['Teksting', 'Subtitles', 'Teksting'],
    AUDIO_DESCRIPTION: ['Synstolking', 'Audio description', 'Synstolking'],
    RELAXED: ['Rolig forestilling', 'Relaxed', 'Roleg framsyning'],
    ASSISTANCE_DOG: ['Servicehund', 'Assistance dogs', 'Servicehund'],
    ACCESSIBLE_TOILET: ['Tilgjengelig toalett', 'Accessible toilet', 'Tilgjengeleg toalett'],
  };

  const WEEKDAYS = { man: 'mån', tirs: 'tys', tir: 'tys', lør: 'laur' };

  /** Milliseconds. */
  const SECOND = 1_000;
  const GIVE_UP = 15 * SECOND;
  const RETRY = 60 * SECOND;
  /** However long a page stays open, its list is never older than this when a reader looks at it. */
  const OLDEST = 5 * 60 * SECOND;
  /** A reader who comes back to the page gets a new list, unless the last one is this young: caches may have the same one for as long. */
  const FRESH = 60 * SECOND;
  /** Milliseconds after its start when an event without an end is over (A1): OPEN_ENDED_SECONDS of the server. */
  const OPEN_ENDED = 3 * 60 * 60 * SECOND;
  /** Milliseconds over which pages spread the requests that fall due at the same second. */
  const SPREAD = 10 * SECOND;
  /** Degrees to two decimals, at most about 600 m off: calendars need no more, and neighbours share a cached answer. */
  const rounded = (degrees) => Math.round(degrees * 100) / 100;
  const NEAR_KM = 10;
  /** More events than fit on a screen need no room while they load. */
  const ON_SCREEN = 10;
  const DAY = 24 * 60 * 60 * SECOND;
  const LONGEST_TIMER = 2_147_483_647;

  /** Those of embed.css. The server writes them here. */
  const STYLES = '';

  /**
   * The address of this script is that of the server. A page may contain elements by others, whose names replace properties of
   * `document`: so the browser's own property is read, and it counts only if it is a script.
   */
  const current = Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript').get.call(document);
  const named = Document.prototype.querySelectorAll.call(document, 'script[src*="/embed.js"]');
  const script = [current, ...named].find((element) => element instanceof HTMLScriptElement);
  const endpoint = new URL('embed.json', script?.src ?? location.href).href;

  /** Characters of an address that common proxies accept. */
  const LONGEST_ADDRESS = 8_000;

  /** Only web links: `javascript:` would run code in the page. */
  const linkTo = (url) => (/^https?:\/\//i.test(url) ? { href: url } : {});

  /** A full web address, read against that of the page, or null. */
  const pageAt = (url) => {
    try {
      return linkTo(new URL(url, location.href).href).href ?? null;
    } catch {
      return null;
    }
  };

  /** `https://avisen.example/arrangement/{slug}` with the event's values, or null if it does not name the event or leads to no page. */
  const ownLink = (template, { id, event_slug: slug, startDate }) => {
    if (!/\{(?:slug|id)\}/.test(template)) return null;
    const values = { id, slug, date: startDate.slice(0, 10) };
    const url = template.replace(/\{(slug|id|date)\}/g, (_, name) => encodeURIComponent(values[name]));
    return pageAt(url);
  };

  /** The calendar's page of a date keeps the language of this list. A page of another site has none of its own. */
  const pageOf = ({ occurrenceLink, eventLink }, language) => {
    if (!occurrenceLink) return eventLink;
    return `${occurrenceLink}${occurrenceLink.includes('?') ? '&' : '?'}lang=${language}`;
  };

  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children.filter((child) => child !== null));
    return element;
  };

  /** `2026-11-22 19:00:00+01:00` as milliseconds since 1970. */
  const momentOf = (text) => Date.parse(text.replace(' ', 'T'));
  const overOf = ({ startDate, endDate }) =>
    startDate === endDate ? momentOf(startDate) + OPEN_ENDED : momentOf(endDate);

  /** The day of a text as the browser reads it without a time zone. */
  const midnightOf = (text) => Date.parse(`${text.slice(0, 10)}T00:00Z`);
  const dayBefore = (text) => new Date(midnightOf(text) - 1).toISOString();
  const norwegianYear = () =>
    new Date().toLocaleString('sv-SE', { timeZone: 'Europe/Oslo', year: 'numeric' });
  const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

  /**
   * What an event's line shows of its times: the texts of its day, its last day and its clocks. They are in Norwegian time, wherever the
   * reader is: so the texts' own digits are shown, and no time zone.
   */
  const timesOf = ({ startDate, endDate, allDay, repetitions }, now) => {
    const isOfDay = (date) => date.startsWith(startDate.slice(0, 10));
    const hasEnd = endDate !== startDate;
    // Midnight is the end of the day before it.
    const endsAtMidnight = allDay || (hasEnd && endDate.slice(11, 16) === '00:00');
    const last = endsAtMidnight ? dayBefore(endDate) : endDate;
    // A night that ends in the small hours is one evening.
    const isShort = momentOf(endDate) - momentOf(startDate) <= DAY / 2;
    const isOneDay = isOfDay(last) || isShort;
    const isRunning = momentOf(startDate) <= now && !isOneDay;
    const clocks = hasEnd && isOneDay ? [startDate, endDate] : [startDate];
    return {
      isRunning,
      day: isRunning ? last : startDate,
      /** Empty if the line does not name it. */
      lastDay: isOneDay || isRunning ? '' : last,
      clocks: allDay || isRunning ? [] : clocks,
      /** Further dates on the same day. */
      others: repetitions.map((date) => date.startDate).filter(isOfDay),
      dateTime: allDay ? startDate.slice(0, 10) : startDate.replace(' ', 'T'),
    };
  };

  /** The same request would be refused again. */
  class Refusal extends Error {}
  const REFUSALS = ['BAD_USER_INPUT', 'BAD_REQUEST', 'QUERY_TOO_COMPLEX'];

  class AlmanakkEvents extends HTMLElement {
    static observedAttributes = ATTRIBUTES;
    static endpoint = endpoint;

    #heading = make('h2');
    #nearMe = make('button', { type: 'button' });
    #rounded = make('small');
    #near = make('p', { className: 'near' }, this.#nearMe, this.#rounded);
    #list = make('ul');
    #state = make('p', { className: 'state' });
    #more = make('div', { className: 'more' });
    #source = make('p', { className: 'source' });
    #section = make(
      'section',
      {},
      ...[this.#heading, this.#near, this.#list, this.#state, this.#more, this.#source],
    );
    /** The reader's position, once it was requested; it stays in this page. */
    #position = null;
    /** Null until the first answer. */
    #events = null;
    #showsMunicipality = false;
    /** The Norwegian of the calendar, once it has answered: `nb` or `nn`. */
    #norwegian = 'nb';
    /** Milliseconds since 1970. */
    #answeredAt = 0;
    #requestAt = 0;
    /** The earliest request for a reader who comes back to the page. */
    #earliestRefresh = 0;
    /** Ends the running request; null while there is none. */
    #requesting = null;
    #timer = 0;
    /** Whether a request follows the attributes that are being set. */
    #isPlanned = false;

    constructor() {
      super();
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(STYLES);
      const root = this.attachShadow({ mode: 'open' });
      root.adoptedStyleSheets = [sheet];
      this.#list.setAttribute('role', 'list');
      this.#state.setAttribute('role', 'status');
      this.#section.tabIndex = -1;
      this.#nearMe.addEventListener('click', () => this.#toggleNear());
      root.append(this.#section);
    }

    connectedCallback() {
      document.addEventListener('visibilitychange', this.#onVisibility);
      this.#planRequest();
    }

    disconnectedCallback() {
      document.removeEventListener('visibilitychange', this.#onVisibility);
      clearTimeout(this.#timer);
      this.#requesting?.abort();
    }

    /** Frameworks set attributes one by one: one request serves them all. */
    attributeChangedCallback() {
      if (this.isConnected) this.#planRequest();
    }

    #planRequest() {
      if (this.#isPlanned) return;
      this.#isPlanned = true;
      queueMicrotask(() => {
        this.#isPlanned = false;
        this.#events = null;
        if (!this.isConnected) return;
        for (const name of this.getAttributeNames().filter((one) => isUnknown(this, one)))
          console.error(`almanakk-events: ${name}: expected one of ${ATTRIBUTES}`);
        // Not for further tries: the page would move at each of them.
        this.#section.classList.add('loading');
        this.#section.style.setProperty('--events', Math.min(this.#limit, ON_SCREEN));
        void this.#request();
      });
    }

    /** Only a click asks the browser for a position. */
    #toggleNear() {
      const moveTo = (position) => {
        this.#position = position;
        this.#planRequest();
      };
      if (this.#position !== null) return moveTo(null);
      navigator.geolocation.getCurrentPosition(
        ({ coords: { latitude, longitude } }) =>
          moveTo({ latitude: rounded(latitude), longitude: rounded(longitude) }),
        () => this.#showState(this.#words.nowhere),
        { maximumAge: OLDEST, timeout: GIVE_UP },
      );
    }

    get #nearKm() {
      return Number.parseFloat(this.getAttribute('nearMe')) || NEAR_KM;
    }

    get #limit() {
      const limit = Number.parseInt(this.getAttribute('limit') ?? '', 10);
      return Math.min(Math.max(limit || 5, 1), 100);
    }

    get #languageIndex() {
      return LANGUAGES.indexOf(this.#language);
    }

    get #words() {
      const at = this.#languageIndex;
      return Object.fromEntries(Object.entries(WORDS).map(([name, words]) => [name, words[at]]));
    }

    get #language() {
      const ofPage = this.closest('[lang]')?.lang.toLowerCase().split('-')[0] ?? '';
      if (['', 'no'].includes(ofPage)) return this.#norwegian;
      return LANGUAGES.includes(ofPage) ? ofPage : 'en';
    }

    async #request() {
      clearTimeout(this.#timer);
      this.#requesting?.abort();
      const own = new AbortController();
      this.#requesting = own;
      const givingUp = setTimeout(() => own.abort(), GIVE_UP);
      this.#section.setAttribute('aria-busy', 'true');
      this.#showLabels();
      if (this.#events === null) {
        this.#list.replaceChildren();
        this.#showState(this.#words.loading);
      }
      try {
        const answer = await this.#fetch(own.signal);
        if (this.#requesting === own) this.#showAnswer(answer);
      } catch (thrown) {
        // A newer request has begun, or the element was removed.
        if (this.#requesting !== own || !this.isConnected) return;
        this.#showFailure(thrown);
      } finally {
        clearTimeout(givingUp);
        if (this.#requesting === own) {
          this.#requesting = null;
          this.#section.setAttribute('aria-busy', 'false');
          this.#section.classList.remove('loading');
          if (this.isConnected) this.#waitForNext();
        }
      }
    }

    /** A GET without headers of its own needs no preflight, and caches can answer it. */
    async #fetch(signal) {
      const address = `${endpoint}?${this.#search()}`;
      if (address.length > LONGEST_ADDRESS)
        throw new Refusal(
          `expected a filter whose address has at most ${LONGEST_ADDRESS} characters, found ${address.length}`,
        );
      const response = await fetch(address, {
        signal,
        // The browser may still have the list that is to be replaced.
        cache: this.#events === null ? 'default' : 'no-cache',
        // The page's own policy may send its whole address, which may hold personal data of a visitor. `Origin` names its site.
        referrerPolicy: 'no-referrer',
      });
      const { errors, ...list } = await response.json();
      for (const message of list.hints ?? []) console.warn(`almanakk-events: ${message}`);
      if (list.events) return list;
      const [{ message, extensions } = {}] = errors ?? [];
      if (!REFUSALS.includes(extensions?.code)) throw new Error(`HTTP ${response.status}`);
      throw new Refusal((extensions.reasons ?? [message]).join('; '));
    }

    #search() {
      const search = new URLSearchParams();
      for (const [name, kind] of Object.entries(FIELDS)) {
        const value = this.getAttribute(name) ?? '';
        if (value.trim() === '') continue;
        const numbers = value.split(',').map(Number);
        const values = Array.isArray(kind) ? [kind.map((_, at) => numbers[at])] : KINDS[kind](value);
        for (const one of values) search.append(name, one);
      }
      if (this.#position !== null && this.hasAttribute('nearMe')) {
        const { latitude, longitude } = this.#position;
        search.set('near', [latitude, longitude, this.#nearKm]);
      }
      search.set('pageSize', this.#limit);
      const key = this.getAttribute('key');
      if (key) search.set('key', key);
      return search;
    }

    #showAnswer({ events, calendar, showsMunicipality }) {
      this.#events = events;
      this.#showsMunicipality = showsMunicipality;
      this.#norwegian = calendar.language ?? 'nb';
      this.#answeredAt = Date.now();
      this.#requestAt = this.#answeredAt + OLDEST;
      this.#earliestRefresh = this.#answeredAt + FRESH;
      this.#showLabels();
      this.#showSource(calendar);
      this.#showState(events.length === 0 ? this.#words.none : '');
      this.#showEvents();
    }

    /** Without a heading, the section still has a name. */
    #showLabels() {
      const heading = this.getAttribute('heading') ?? '';
      this.#section.lang = this.#language;
      this.#section.dir = 'ltr';
      this.#heading.textContent = heading;
      this.#heading.hidden = heading === '';
      this.#near.hidden = !this.hasAttribute('nearMe') || !navigator.geolocation;
      this.#nearMe.textContent = `${this.#words.near} (${this.#nearKm} km)`;
      this.#nearMe.setAttribute('aria-pressed', String(this.#position !== null));
      this.#rounded.textContent = this.#words.rounded;
      this.#section.setAttribute('aria-label', heading === '' ? this.#words.events : heading);
    }

    #showState(text, ...more) {
      this.#state.textContent = text;
      this.#more.replaceChildren(...more);
    }

    /** The name of the calendar, which leads to the calendar's own site or, with `home`, to that of the page. */
    #showSource({ name, siteUrl }) {
      const home = this.getAttribute('home')?.trim() ?? '';
      const own = home === '' ? null : pageAt(home);
      if (home !== '' && own === null)
        console.error(`almanakk-events: home: expected a web address, found "${home}"`);
      this.#source.replaceChildren(make('a', { ...linkTo(own ?? siteUrl), textContent: name }));
    }

    /** Keeps the keyboard's focus on the event that has it. */
    #showEvents() {
      const at = this.shadowRoot.activeElement?.dataset.id;
      this.#list.replaceChildren(...this.#events.map((event) => this.#itemOf(event)));
      const template = this.getAttribute('link');
      if (template !== null && this.#events.some((event) => !ownLink(template, event)))
        console.error(
          `almanakk-events: link: expected a web address with {slug} or {id}, found "${template}"`,
        );
      if (at) [...this.#list.querySelectorAll('a')].find(({ dataset }) => dataset.id === at)?.focus();
    }

    /** Waits until an event of the list is over, or a new request is due. */
    #waitForNext() {
      const next = Math.min(this.#requestAt, ...(this.#events ?? []).map(overOf));
      clearTimeout(this.#timer);
      const wait = Math.min(Math.max(Math.ceil(next - Date.now()), SECOND), LONGEST_TIMER);
      this.#timer = setTimeout(this.#onTime, wait);
    }

    /** Events that are over vanish at once; those in their place are requested a moment later. */
    #onTime = () => {
      // A page in the background is not seen: it is refreshed when it comes to the front.
      if (document.hidden || this.#requesting !== null) return;
      const now = Date.now();
      const left = this.#events?.filter((event) => overOf(event) > now) ?? [];
      if (left.length < (this.#events?.length ?? 0)) {
        this.#events = left;
        this.#showEvents();
        this.#requestAt = Math.min(this.#requestAt, now + Math.random() * SPREAD);
      }
      if (now >= this.#requestAt) void this.#request();
      else this.#waitForNext();
    };

    #onVisibility = () => {
      const now = Date.now();
      if (now >= this.#earliestRefresh) this.#requestAt = now;
      this.#onTime();
    };

    /** An older list stays, with the time of its answer. Without one, the content of the element is shown. */
    #showFailure(thrown) {
      const words = this.#words;
      const isRefused = thrown instanceof Refusal;
      const again = make('button', { type: 'button', textContent: words.again });
      again.addEventListener('click', () => {
        // The button disappears; the focus stays in the section.
        this.#section.focus();
        void this.#request();
      });
      if (this.#events !== null) {
        // In Sweden's form, `2026-11-22 19:00:00`, and on the reader's own clock.
        const at = this.#clock(new Date(this.#answeredAt).toLocaleString('sv-SE'));
        this.#showState(`${words.stale} ${at}.`, again);
      } else if (isRefused) {
        // Only the author of the page can fix it.
        console.error(`almanakk-events: ${thrown.message}`);
        this.#showState(words.failed, make('slot'));
      } else this.#showState(words.failed, again, make('slot'));
      this.#requestAt = isRefused ? Number.POSITIVE_INFINITY : Date.now() + RETRY + Math.random() * SPREAD;
      this.#earliestRefresh = this.#requestAt;
    }

    /** `19.00` in Norwegian, `19:00` in English. */
    #clock(text) {
      const clock = text.slice(11, 16);
      return this.#language === 'en' ? clock : clock.replace(':', '.');
    }

    /** Some versions of the data put a comma after an English weekday. */
    #day(date, style) {
      const locale = WORDS.locale[this.#languageIndex];
      const text = date.toLocaleDateString(locale, { ...style, timeZone: 'UTC' }).replace(',', '');
      if (this.#language !== 'nn') return text;
      return text.replace(/^(?:man|tirs?|lør)/, (weekday) => WEEKDAYS[weekday]);
    }

    /** The day that a moved date had before; its time where the day is the same. */
    #previousTime({ startDate, previousStartDate }) {
      const words = this.#words;
      if (startDate.slice(0, 10) === previousStartDate.slice(0, 10))
        return words.clock + this.#clock(previousStartDate);
      const day = new Date(`${previousStartDate.slice(0, 10)}T12:00:00Z`);
      return this.#day(day, { weekday: 'long', day: 'numeric', month: 'long' });
    }

    #itemOf(event) {
      const summary = this.#localText('p', 'summary', event);
      if (summary) summary.className = 'summary';
      return make(
        'li',
        { className: event.eventCancelled ? 'off' : '' },
        this.#timeOf(event),
        make(
          'div',
          {},
          this.#pictureOf(event.images),
          make('p', {}, this.#titleOf(event), ...this.#notesOf(event)),
          this.#factsOf(event),
          summary,
          this.#accessibilityOf(event.accessibility),
        ),
      );
    }

    #titleOf(event) {
      const title = this.#localText('a', 'title', event) ?? make('a');
      const ownPage = ownLink(this.getAttribute('link') ?? '', event);
      Object.assign(title, ownPage ? { href: ownPage } : linkTo(pageOf(event, this.#language)));
      title.dataset.id = event.occurrenceID;
      return title;
    }

    /** What readers must know before they go there. */
    #notesOf(event) {
      const words = this.#words;
      const notes = [
        event.eventCancelled && (event.status === 'POSTPONED' ? words.postponed : words.cancelled),
        event.previousStartDate && `${words.moved} ${this.#previousTime(event)}`,
        event.eventSoldOut && !event.eventCancelled && words.soldOut,
      ];
      return notes.filter(Boolean).map((note) => make('span', { className: 'note', textContent: note }));
    }

    /** The place and the price; null if neither is known. */
    #factsOf(event) {
      const place = this.#placeOf(event.venue) ?? (event.mode === 'online' ? this.#words.online : null);
      const price = this.#priceOf(event);
      const facts = [place, price && make('span', { className: 'price', textContent: price })].filter(
        Boolean,
      );
      if (facts.length === 0) return null;
      return make('p', { className: 'place' }, ...facts.flatMap((fact) => [' · ', fact]).slice(1));
    }

    /** With the municipality, unless the name says it. */
    #placeOf(venue) {
      if (!venue) return null;
      const { name, municipality } = venue;
      const isNamed = !this.#showsMunicipality || !municipality || name.includes(municipality);
      return isNamed ? name : `${name}, ${municipality}`;
    }

    /**
     * An element with a text of an event: in Norwegian or English, as the reader's language is, else in the other one. `lang` names a language
     * that is not the reader's. Null without either text.
     */
    #localText(element, field, event) {
      const texts = [
        [event[`${field}_nb`], event.norwegian ?? 'nb'],
        [event[`${field}_en`], 'en'],
      ];
      if (this.#language === 'en') texts.reverse();
      const [textContent, lang] = texts.find(([text]) => text) ?? [];
      if (!textContent) return null;
      return make(element, { textContent, ...(lang !== this.#language && { lang }) });
    }

    #pictureOf([image]) {
      if (!this.hasAttribute('pictures') || !linkTo(image?.urlSmall).href) return null;
      return make('img', { src: image.urlSmall, alt: image.alt ?? '', loading: 'lazy' });
    }

    /** Free tickets are for members, companions or small children. */
    #priceOf({ ticketsInformation, prices, occurrencePrices }) {
      const { locale, free } = this.#words;
      if (ticketsInformation === 'free') return free;
      const all = (occurrencePrices ?? prices).flatMap(({ price }) => price || []);
      if (ticketsInformation !== 'ticketsInfo' || all.length === 0) return null;
      const ends = [...new Set([Math.min(...all), Math.max(...all)])];
      return `${ends.map((price) => price.toLocaleString(locale)).join('–')} kr`;
    }

    #accessibilityOf(words) {
      const known = words.flatMap((word) => (ACCESSIBILITY[word] ? [ACCESSIBILITY[word]] : []));
      if (known.length === 0) return null;
      const items = known.map((texts) => make('span', { textContent: texts[this.#languageIndex] }));
      return make('p', { className: 'access' }, ...items);
    }

    #timeOf(event) {
      const { locale, until, also } = this.#words;
      const { isRunning, day, lastDay, clocks, others, dateTime } = timesOf(event, Date.now());
      const named = this.#dayAndMonth(day);
      const time = clocks.map((text) => this.#clock(text)).join('–');
      const list = new Intl.ListFormat(locale).format(others.map((text) => this.#clock(text)));
      const parts = [
        isRunning ? `${until} ` : '',
        make('span', { className: 'day', textContent: isRunning ? named : capitalized(named) }),
        time && ' ',
        make('span', { className: 'clock', textContent: time }),
        time && list && `, ${also} ${list}`,
        lastDay && ' – ',
        lastDay && make('span', { className: 'day', textContent: this.#dayAndMonth(lastDay) }),
      ];
      return make('time', { dateTime }, ...parts);
    }

    /** With the year, if it is another one. */
    #dayAndMonth(text) {
      const year = text.startsWith(norwegianYear()) ? {} : { year: 'numeric' };
      const style = { weekday: 'short', day: 'numeric', month: 'short', ...year };
      return this.#day(new Date(midnightOf(text)), style);
    }
  }

  const defined = customElements.get('almanakk-events');
  if (!defined) customElements.define('almanakk-events', AlmanakkEvents);
  else if (defined.endpoint !== endpoint)
    console.error(`almanakk-events: expected one calendar, found ${defined.endpoint} and ${endpoint}`);
}
