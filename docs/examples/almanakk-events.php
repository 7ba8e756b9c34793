<?php

/**
 * Plugin Name: almanakk events
 * Description: Lists and pages of events of an almanakk calendar, in the site's own pages, so that search engines see them.
 * Version: 2.0.0
 * Requires at least: 6.0
 * Requires PHP: 8.1
 * License: MIT
 * Update URI: false
 *
 * Install: copy this file to wp-content/plugins, write the address of the calendar into wp-config.php, and activate the plugin. In
 * wp-content/mu-plugins, it is active at once. Update: replace the file. The list of plugins shows its version; WordPress never replaces it.
 *
 *     define('ALMANAKK_URL', 'https://kalender.example');
 *     // Optional: event pages outside WordPress, your own calendar page, and an application key of the calendar.
 *     define('ALMANAKK_LINK', 'https://avisen.example/arrangement/{slug}?dato={date}');
 *     define('ALMANAKK_HOME', 'https://avisen.example/kalender');
 *     define('ALMANAKK_KEY', '…');
 *     // Seconds for which lists are still shown if the calendar does not answer; a day unless set.
 *     define('ALMANAKK_KEPT', 3600);
 *
 * Use: write [almanakk kommune="Lillevik" kategori="MUSIC" periode="WEEKEND" antall="5" bilder] in a page, or in the block "Shortcode". Every
 * value can be left out. The names are those of the embed's attributes, in any case, and these Norwegian ones: kommune, kategori, stikkord, sok,
 * sted, arrangor, periode, gratis, alder, antall, overskrift, bilder, sider, sprak, lenke, hjem. Lists have commas between their values, `ids`
 * blanks. `sider` adds links to further events; use it once in a page. Editors who are logged in see what is wrong with a shortcode, in their own
 * language; others never do.
 *
 * The block “Arrangementer” shows the same list, with menus for the most common values instead of words to remember.
 *
 * Event pages: write [almanakk_arrangement] in a published page, such as “Arrangement”. It shows the event that its address names,
 * `?arrangement=SLUG&dato=2026-11-20`, under the event's title. Without ALMANAKK_LINK, all lists then lead there.
 *
 * A shortcode cannot set the calendar's address: otherwise, anyone who can write one could make this server fetch any URL. The language is that
 * of the site: Bokmål, Nynorsk or English. The markup has classes; its only style keeps pictures within their column.
 */

declare(strict_types=1);

namespace Almanakk;

use DateTimeImmutable;
use DateTimeZone;

if (!defined('ABSPATH')) {
    exit;
}

/** Seconds for which a list is cached, and for which it is shown at most while the calendar does not answer, unless ALMANAKK_KEPT says otherwise. */
const FRESH = 60;
const KEPT = 86_400;
/** Seconds to wait for the calendar, and to leave it alone after it did not answer: a page may have many lists. */
const TIMEOUT = 5;
const PAUSE = 30;
const MOST = 100;
const MOST_PAGES = 100;
const MOST_BYTES = 4_000_000;
/** Seconds. An event that ends in the small hours is one evening; without an end, an event is on for three hours. */
const HALF_A_DAY = 12 * 3600;
const OPEN_ENDED = 3 * 3600;

/** Each field of the filter by its kind, as in the embed. */
const FIELDS = [
    'ids' => 'words',
    'categories' => 'list',
    'notCategories' => 'list',
    'searchTerm' => 'text',
    'tag' => 'text',
    'superEvent' => 'text',
    'mode' => 'text',
    'onlyFeatured' => 'flag',
    'onlyFeaturedSpecialEvent' => 'flag',
    'venues' => 'list',
    'venueSlug' => 'text',
    'municipality' => 'text',
    'municipalities' => 'list',
    'postalCodes' => 'list',
    'near' => ['latitude', 'longitude', 'km'],
    'area' => ['minLatitude', 'maxLatitude', 'minLongitude', 'maxLongitude'],
    'organizers' => 'list',
    'organizerSlug' => 'text',
    'accessibility' => 'list',
    'age' => 'number',
    'free' => 'flag',
    'cancelledNotIncluded' => 'flag',
    'soldOutNotIncluded' => 'flag',
    'period' => 'text',
    'fromDate' => 'text',
    'fromStartDate' => 'text',
    'untilDate' => 'text',
    'hoursRange' => 'text',
    'groupRepetitionsByDay' => 'flag',
];
const OTHERS = [
    'limit' => 'number',
    'lang' => 'text',
    'heading' => 'text',
    'pictures' => 'flag',
    'paging' => 'flag',
    'link' => 'text',
    'home' => 'text',
];
const NORWEGIAN = [
    'kommune' => 'municipalities',
    'kategori' => 'categories',
    'stikkord' => 'tag',
    'sok' => 'searchTerm',
    'sted' => 'venues',
    'arrangor' => 'organizers',
    'periode' => 'period',
    'gratis' => 'free',
    'alder' => 'age',
    'antall' => 'limit',
    'overskrift' => 'heading',
    'bilder' => 'pictures',
    'sider' => 'paging',
    'sprak' => 'lang',
    'lenke' => 'link',
    'hjem' => 'home',
];

const PERIODS = ['TODAY', 'TOMORROW', 'WEEKEND', 'WEEK'];

const DATE_FIELDS = 'startDate endDate allDay status previousStartDate eventSoldOut ticketsURL venue { name address municipality }';
const EVENT_FIELDS = 'id event_slug eventLink occurrenceLink title_nb title_en summary_nb summary_en norwegian mode
    images { urlSmall urlLarge alt credits width height } ticketsInformation prices { price } occurrencePrices { price } ' . DATE_FIELDS;
const LIST_QUERY = 'query WordPressList($filter: Filter, $count: Int, $page: Int) {
  events(filter: $filter, pageSize: $count, page: $page) {
    hasMore data { ' . EVENT_FIELDS . ' repetitions(first: 20) { startDate } }
  }
}';
const EVENT_QUERY = 'query WordPressEvent($slug: String!) {
  eventBySlug(eventSlug: $slug) {
    ' . EVENT_FIELDS . ' desc_nb desc_en organizers { name }
    repetitions(first: 100) { ' . DATE_FIELDS . ' occurrencePrices: prices { price } }
  }
}';

const MENUS_QUERY = 'query WordPressMenus {
  events(pageSize: 1) { municipalities { name } }
  categories { id name_nb name_nn name_en visible }
}';

/** What the block can set, by the names of the shortcode. */
const BLOCK_ATTRIBUTES = [
    'kommune' => ['type' => 'string', 'default' => ''],
    'kategori' => ['type' => 'string', 'default' => ''],
    'periode' => ['type' => 'string', 'default' => ''],
    'antall' => ['type' => 'number', 'default' => 10],
    'overskrift' => ['type' => 'string', 'default' => ''],
    'bilder' => ['type' => 'boolean', 'default' => false],
    'sider' => ['type' => 'boolean', 'default' => false],
];

/** The block in the editor: its settings beside the page, and the list as readers see it. The browser knows the order of Norwegian letters. */
const BLOCK_SCRIPT = <<<'JS'
(({ blocks, blockEditor, components, element, serverSideRender }, { texts, menus }) => {
  menus.kommune.sort((one, other) => one.label.localeCompare(other.label, 'nb'));
  const { createElement } = element;
  const edit = ({ attributes, setAttributes }) => {
    const common = (name) => ({
      key: name,
      label: texts[name],
      onChange: (value) => setAttributes({ [name]: value }),
    });
    const menu = (name) => {
      const value = attributes[name];
      // The calendar may no longer have it, or not respond.
      const isListed = value === '' || menus[name].some((option) => option.value === value);
      const own = isListed ? [] : [{ value, label: value }];
      const options = [{ value: '', label: texts.any }, ...menus[name], ...own];
      return createElement(components.SelectControl, { ...common(name), value, options });
    };
    const toggle = (name) => createElement(components.ToggleControl, { ...common(name), checked: attributes[name] });
    const fields = [
      menu('kommune'),
      menu('kategori'),
      menu('periode'),
      createElement(components.RangeControl, { ...common('antall'), value: attributes.antall, min: 1, max: 50 }),
      createElement(components.TextControl, { ...common('overskrift'), value: attributes.overskrift }),
      toggle('bilder'),
      toggle('sider'),
    ];
    const panel = createElement(components.PanelBody, { title: texts.block }, fields);
    // Disabled: a click chooses the block instead of following a link.
    const list = createElement(serverSideRender, { block: 'almanakk/liste', attributes });
    return createElement(
      'div',
      blockEditor.useBlockProps(),
      createElement(blockEditor.InspectorControls, null, panel),
      createElement(components.Disabled, null, list),
    );
  };
  blocks.registerBlockType('almanakk/liste', { title: texts.block, edit, save: () => null });
})(wp, almanakkBlock);
JS;

const TEXTS = [
    'nb' => [
        'weekdays' => ['søndag', 'mandag', 'tirsdag', 'onsdag', 'torsdag', 'fredag', 'lørdag'],
        'months' => ['januar', 'februar', 'mars', 'april', 'mai', 'juni', 'juli', 'august', 'september', 'oktober', 'november', 'desember'],
        'none' => 'Ingen arrangementer nå.',
        'away' => 'Kalenderen svarer ikke nå.',
        'cancelled' => 'Avlyst',
        'postponed' => 'Utsatt',
        'soldOut' => 'Utsolgt',
        'moved' => 'Flyttet',
        'movedFrom' => 'Flyttet fra',
        'clock' => 'kl. ',
        'until' => 'Til og med',
        'also' => 'også',
        'online' => 'På nett',
        'free' => 'Gratis',
        'all' => 'Hele kalenderen',
        'more' => 'Flere arrangementer',
        'previous' => 'Forrige side',
        'page' => 'Side',
        'pages' => 'Sider',
        'dates' => 'Flere datoer',
        'tickets' => 'Billetter',
        'organizer' => 'Arrangør:',
        'ended' => 'Arrangementet er over',
        'otherDate' => 'Datoen i lenken er passert eller fjernet. Her er neste dato.',
        'choose' => 'Velg et arrangement i kalenderen.',
        'missing' => 'Vi fant ikke arrangementet. Det kan være over eller fjernet, eller lenken kan være feil.',
        'block' => 'Arrangementer',
        'kommune' => 'Kommune',
        'kategori' => 'Kategori',
        'periode' => 'Når',
        'antall' => 'Antall arrangementer',
        'overskrift' => 'Overskrift',
        'bilder' => 'Med bilder',
        'sider' => 'Lenke til flere arrangementer',
        'any' => 'Alle',
        'TODAY' => 'I dag',
        'TOMORROW' => 'I morgen',
        'WEEKEND' => 'I helgen',
        'WEEK' => 'Denne uken',
        'forEditors' => 'Bare redaktører ser dette:',
        'wrongName' => 'Ordet «{found}» kan ikke brukes i kortkoden.',
        'nearest' => 'Mente du «{name}»?',
        'wrongFlag' => '{name}: skriv ja eller nei. Nå står det «{found}».',
        'wrongNumber' => '{name}: skriv et helt tall, for eksempel 5. Nå står det «{found}».',
        'wrongPeriod' => '{name}: skriv TODAY (i dag), TOMORROW (i morgen), WEEKEND (i helgen) eller WEEK (denne uken). Nå står det «{found}».',
        'wrongNear' => '{name}: skriv breddegrad, lengdegrad og antall kilometer, for eksempel 63.43,10.39,5. Nå står det «{found}».',
        'wrongArea' => '{name}: skriv laveste og høyeste breddegrad og laveste og høyeste lengdegrad, med komma mellom. Nå står det «{found}».',
        'wrongLink' => '{name}: skriv en adresse som begynner med https:// eller /, og som inneholder {slug} eller {id}. Nå står det «{found}».',
        'noAddress' => 'Kalenderens adresse mangler. Den som drifter nettstedet, må legge inn ALMANAKK_URL i wp-config.php.',
        'noAnswer' => 'Kalenderen svarer ikke som den skal. Prøv igjen om noen minutter. Går ikke feilen over, står årsaken i PHP-loggen.',
        'refused' => 'Kalenderen forstår ikke en av verdiene i kortkoden. Den svarer på engelsk: {found}',
        'hint' => '{name}: kalenderen kjenner ikke «{found}». Den svarer på engelsk: {message}',
    ],
    'nn' => [
        'weekdays' => ['søndag', 'måndag', 'tysdag', 'onsdag', 'torsdag', 'fredag', 'laurdag'],
        'none' => 'Ingen arrangement no.',
        'away' => 'Kalenderen svarar ikkje no.',
        'postponed' => 'Utsett',
        'soldOut' => 'Utselt',
        'moved' => 'Flytta',
        'movedFrom' => 'Flytta frå',
        'all' => 'Heile kalenderen',
        'more' => 'Fleire arrangement',
        'previous' => 'Førre side',
        'dates' => 'Fleire datoar',
        'tickets' => 'Billettar',
        'otherDate' => 'Datoen i lenkja er passert eller fjerna. Her er neste dato.',
        'choose' => 'Vel eit arrangement i kalenderen.',
        'missing' => 'Vi fann ikkje arrangementet. Det kan vere over eller fjerna, eller lenkja kan vere feil.',
        'block' => 'Arrangement',
        'antall' => 'Talet på arrangement',
        'bilder' => 'Med bilete',
        'sider' => 'Lenkje til fleire arrangement',
        'TOMORROW' => 'I morgon',
        'WEEKEND' => 'I helga',
        'WEEK' => 'Denne veka',
        'forEditors' => 'Berre redaktørar ser dette:',
        'wrongName' => 'Ordet «{found}» kan ikkje brukast i kortkoden.',
        'nearest' => 'Meinte du «{name}»?',
        'wrongFlag' => '{name}: skriv ja eller nei. No står det «{found}».',
        'wrongNumber' => '{name}: skriv eit heilt tal, til dømes 5. No står det «{found}».',
        'wrongPeriod' => '{name}: skriv TODAY (i dag), TOMORROW (i morgon), WEEKEND (i helga) eller WEEK (denne veka). No står det «{found}».',
        'wrongNear' => '{name}: skriv breiddegrad, lengdegrad og talet på kilometer, til dømes 63.43,10.39,5. No står det «{found}».',
        'wrongArea' => '{name}: skriv lågaste og høgaste breiddegrad og lågaste og høgaste lengdegrad, med komma mellom. No står det «{found}».',
        'wrongLink' => '{name}: skriv ei adresse som byrjar med https:// eller /, og som inneheld {slug} eller {id}. No står det «{found}».',
        'noAddress' => 'Adressa til kalenderen manglar. Den som driftar nettstaden, må leggje inn ALMANAKK_URL i wp-config.php.',
        'noAnswer' => 'Kalenderen svarar ikkje som han skal. Prøv igjen om nokre minutt. Går ikkje feilen over, står årsaka i PHP-loggen.',
        'refused' => 'Kalenderen forstår ikkje ein av verdiane i kortkoden. Han svarar på engelsk: {found}',
        'hint' => '{name}: kalenderen kjenner ikkje «{found}». Han svarar på engelsk: {message}',
    ],
    'en' => [
        'weekdays' => ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
        'months' => ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'],
        'none' => 'No events at the moment.',
        'away' => 'The calendar is not responding.',
        'cancelled' => 'Cancelled',
        'postponed' => 'Postponed',
        'soldOut' => 'Sold out',
        'moved' => 'Moved',
        'movedFrom' => 'Moved from',
        'clock' => '',
        'until' => 'Until',
        'also' => 'also',
        'online' => 'Online',
        'free' => 'Free',
        'all' => 'The whole calendar',
        'more' => 'More events',
        'previous' => 'Previous page',
        'page' => 'Page',
        'pages' => 'Pages',
        'dates' => 'More dates',
        'tickets' => 'Tickets',
        'organizer' => 'Organizer:',
        'ended' => 'This event is over',
        'otherDate' => 'The date in the link has passed or was removed. This is the next date.',
        'choose' => 'Choose an event in the calendar.',
        'missing' => 'We did not find this event. It may be over or have been removed, or the link may be wrong.',
        'block' => 'Events',
        'kommune' => 'Municipality',
        'kategori' => 'Category',
        'periode' => 'When',
        'antall' => 'Number of events',
        'overskrift' => 'Heading',
        'bilder' => 'With pictures',
        'sider' => 'Link to more events',
        'any' => 'All',
        'TODAY' => 'Today',
        'TOMORROW' => 'Tomorrow',
        'WEEKEND' => 'This weekend',
        'WEEK' => 'This week',
        'forEditors' => 'Only editors see this:',
        'wrongName' => 'The word “{found}” cannot be used in the shortcode.',
        'nearest' => 'Did you mean “{name}”?',
        'wrongFlag' => '{name}: write true or false. It now says “{found}”.',
        'wrongNumber' => '{name}: write a whole number, such as 5. It now says “{found}”.',
        'wrongPeriod' => '{name}: write TODAY, TOMORROW, WEEKEND or WEEK. It now says “{found}”.',
        'wrongNear' => '{name}: write latitude, longitude and kilometres, such as 63.43,10.39,5. It now says “{found}”.',
        'wrongArea' => '{name}: write the lowest and highest latitude, then the lowest and highest longitude, with commas. It now says “{found}”.',
        'wrongLink' => '{name}: write an address that begins with https:// or /, and that contains {slug} or {id}. It now says “{found}”.',
        'noAddress' => 'The address of the calendar is missing. The person who runs this site must set ALMANAKK_URL in wp-config.php.',
        'noAnswer' => 'The calendar is not responding as it should. Try again in a few minutes. If the problem lasts, see the PHP log.',
        'refused' => 'The calendar does not understand one of the values in the shortcode. Its answer: {found}',
        'hint' => '{name}: the calendar does not know “{found}”. Its answer: {message}',
    ],
];

add_shortcode('almanakk', __NAMESPACE__ . '\show');
add_shortcode('almanakk_arrangement', __NAMESPACE__ . '\showEvent');
add_action('init', __NAMESPACE__ . '\registerBlock');
add_action('enqueue_block_editor_assets', __NAMESPACE__ . '\enqueueBlock');
add_filter('request', __NAMESPACE__ . '\withoutPostType');
add_action('template_redirect', __NAMESPACE__ . '\openEvent');
add_filter('document_title_parts', __NAMESPACE__ . '\titleParts');
// After WordPress's own filters, which would add typographic quotes and the like to HTML that is already escaped.
add_filter('the_title', __NAMESPACE__ . '\headingOf', 20, 2);
add_filter('get_canonical_url', __NAMESPACE__ . '\canonicalOf', 10, 2);
add_filter('wp_robots', __NAMESPACE__ . '\robotsOf');
add_action('wp_head', __NAMESPACE__ . '\writeHead');
add_action('save_post_page', fn (): bool => delete_transient('almanakk_page'));
add_action('after_delete_post', fn (): bool => delete_transient('almanakk_page'));

/** WordPress passes a text instead of an array for a shortcode without values. */
function show(array|string $written): string
{
    ['filter' => $filter, 'others' => $others, 'names' => $names, 'problems' => $problems] = read(is_array($written) ? $written : []);
    $texts = textsIn($others['lang'] ?? get_locale());
    $language = $texts['language'];
    $content = withoutShortcodes(content($filter, $others, $texts, $problems));
    $notices = noticesOf($problems, $names);
    $heading = trim($others['heading'] ?? '');
    if ($heading === '') {
        return '<div class="almanakk" lang="' . $language . '">' . $content . $notices . '</div>';
    }
    $id = wp_unique_id('almanakk-');
    $label = "<h2 class=\"almanakk-heading\" id=\"$id\">" . esc_html($heading) . '</h2>';
    return "<section class=\"almanakk\" lang=\"$language\" aria-labelledby=\"$id\">$label$content$notices</section>";
}

/** Nynorsk has the other words of Bokmål. */
function textsIn(string $locale): array
{
    $language = languageOf($locale);
    return ['language' => $language] + TEXTS[$language] + TEXTS['nb'];
}

/** Some versions of WordPress run the shortcodes in what a shortcode returns: here, organizers could have written them. */
function withoutShortcodes(string $html): string
{
    return str_replace('[', '&#091;', $html);
}

/**
 * Each problem is the name of a text, and its values. Editors read them in the language of their own profile. `$names`: as the shortcode has them, by
 * those of the filter.
 */
function noticesOf(array $problems, array $names = []): string
{
    if (!current_user_can('edit_posts')) {
        return '';
    }
    $texts = textsIn(get_user_locale());
    $notices = '';
    foreach ($problems as [$name, $values]) {
        $nearest = isset($values['{nearest}']) ? ' ' . strtr($texts['nearest'], ['{name}' => $values['{nearest}']]) : '';
        $written = isset($values['{name}']) ? ['{name}' => $names[$values['{name}']] ?? $values['{name}']] : [];
        $sentence = "{$texts['forEditors']} " . strtr($texts[$name], $written + $values) . $nearest;
        $notices .= '<p class="almanakk-problem" lang="' . $texts['language'] . '">' . withoutShortcodes(esc_html($sentence)) . '</p>';
    }
    return $notices;
}

/** `nn_NO` is Nynorsk, and English has many countries. Other languages get Bokmål. */
function languageOf(string $locale): string
{
    $language = strtolower(substr($locale, 0, 2));
    return isset(TEXTS[$language]) ? $language : 'nb';
}

/** The values of a shortcode: those of the filter, the others, their names as they are written, and what is wrong with them. */
function read(array $written): array
{
    $kinds = FIELDS + OTHERS;
    $names = array_combine(array_map('strtolower', array_keys($kinds)), array_keys($kinds)) + NORWEGIAN;
    $found = ['filter' => [], 'others' => [], 'names' => [], 'problems' => []];
    foreach ($written as $key => $value) {
        // A word without a value has a number for its name.
        [$given, $text] = is_int($key) ? [$value, 'true'] : [$key, trim($value)];
        $name = $names[strtolower($given)] ?? null;
        if ($name === null) {
            $found['problems'][] = ['wrongName', ['{found}' => $given, '{nearest}' => nearest($given, array_keys($names))]];
            continue;
        }
        $found['names'][$name] = $given;
        $read = $name === 'period' ? periodIn($text) : valueOf($text, $kinds[$name]);
        if ($text !== '' && $read === null) {
            $found['problems'][] = [problemOf($name, $kinds[$name]), ['{name}' => $name, '{found}' => $text]];
        } elseif ($text !== '') {
            $found[isset(FIELDS[$name]) ? 'filter' : 'others'][$name] = $read;
        }
    }
    return $found;
}

/** The name that differs in the fewest letters, or null if all differ in more than two. */
function nearest(string $given, array $names): ?string
{
    $distances = array_map(fn (string $name): int => levenshtein(strtolower(substr($given, 0, 100)), $name), $names);
    $least = min($distances);
    return $least > 2 ? null : $names[array_search($least, $distances, true)];
}

function periodIn(string $text): ?string
{
    $period = strtoupper($text);
    return in_array($period, PERIODS, true) ? $period : null;
}

/** Null for a value that cannot be read. */
function valueOf(string $text, string|array $kind): mixed
{
    $parts = array_values(array_filter(array_map('trim', explode(',', $text)), fn (string $part): bool => $part !== ''));
    if (is_array($kind)) {
        $isComplete = count($parts) === count($kind) && array_filter($parts, 'is_numeric') === $parts;
        return $isComplete ? array_combine($kind, array_map('floatval', $parts)) : null;
    }
    return match ($kind) {
        'list' => $parts,
        'words' => preg_split('/\s+/', $text),
        'flag' => ['true' => true, 'ja' => true, '1' => true, 'false' => false, 'nei' => false, '0' => false][strtolower($text)] ?? null,
        'number' => preg_match('/^-?\d{1,6}$/', $text) ? (int) $text : null,
        'text' => $text,
    };
}

/** The text that says how to write such a value. */
function problemOf(string $name, string|array $kind): string
{
    return match (true) {
        $name === 'period' => 'wrongPeriod',
        $name === 'near' => 'wrongNear',
        $name === 'area' => 'wrongArea',
        $kind === 'flag' => 'wrongFlag',
        default => 'wrongNumber',
    };
}

/** The list, or a sentence in its place. Adds to `$problems`. */
function content(array $filter, array $others, array $texts, array &$problems): string
{
    if (!defined('ALMANAKK_URL')) {
        $problems[] = ['noAddress', []];
        error_log('almanakk: expected ALMANAKK_URL in wp-config.php, found none');
        return '';
    }
    $count = max(1, min(MOST, $others['limit'] ?? 10));
    $page = ($others['paging'] ?? false) ? pageGiven() : 1;
    ['data' => $list, 'problem' => $problem] = listOf($filter, $count, $page);
    array_push($problems, ...($problem === null ? [] : [$problem]), ...($list['hints'] ?? []));
    if ($list === null) {
        return '<p class="almanakk-away">' . esc_html($texts['away']) . '</p>';
    }
    $pages = ($others['paging'] ?? false) ? pageLinks($page, $list['hasMore'], $texts) : '';
    $events = array_filter($list['events'], __NAMESPACE__ . '\isOn');
    if ($events === []) {
        return '<p class="almanakk-none">' . esc_html($texts['none']) . "</p>$pages";
    }
    $link = $others['link'] ?? (defined('ALMANAKK_LINK') ? \ALMANAKK_LINK : linkToPage());
    if ($link !== '' && !preg_match('~^(https?:/)?/.*\{(slug|id)\}~', $link)) {
        $problems[] = ['wrongLink', ['{name}' => isset($others['link']) ? 'link' : 'ALMANAKK_LINK', '{found}' => $link]];
        $link = '';
    }
    $shown = $texts + [
        'link' => $link,
        'hasPictures' => $others['pictures'] ?? false,
        'hasMunicipality' => !isset($filter['municipality']) && count($filter['municipalities'] ?? []) !== 1,
    ];
    $items = array_map(fn (array $event): string => itemOf($event, $shown), $events);
    $all = linkToAll($others['home'] ?? addressOfAll($filter, $texts['language']), $texts);
    return '<ul class="almanakk-events">' . implode('', $items) . "</ul>$pages$all";
}

function linkToAll(string $address, array $texts): string
{
    return '<p class="almanakk-all"><a href="' . esc_url($address) . '">' . esc_html($texts['all']) . '</a></p>';
}

/** The number of the list's page, from 1, that the address of this page names. */
function pageGiven(): int
{
    return min(MOST_PAGES, (int) given('side', '~^[1-9]\d{0,4}$~D', '1'));
}

/** A value of the address; `$otherwise` if it has another form. */
function given(string $name, string $form, string $otherwise = ''): string
{
    $value = $_GET[$name] ?? null;
    return is_string($value) && preg_match($form, $value) ? $value : $otherwise;
}

function pageLinks(int $page, bool $hasMore, array $texts): string
{
    $linkTo = fn (int $other, string $text): string =>
        '<a href="' . esc_url($other > 1 ? add_query_arg('side', $other) : remove_query_arg('side')) . '">' . esc_html($text) . '</a>';
    $links = [
        $page > 1 ? $linkTo($page - 1, $texts['previous']) : '',
        $hasMore && $page < MOST_PAGES ? $linkTo($page + 1, $texts['more']) : '',
    ];
    $shown = implode(' ', array_filter($links));
    return $shown === '' ? '' : '<nav class="almanakk-pages" aria-label="' . esc_attr($texts['pages']) . "\">$shown</nav>";
}

/** The calendar's own list with the same filter, unless a page of the site takes its place. */
function addressOfAll(array $filter, string $language): string
{
    if (defined('ALMANAKK_HOME')) {
        return \ALMANAKK_HOME;
    }
    $pairs = [];
    foreach ($filter as $name => $value) {
        // `near` is one value, and a list is several.
        $values = is_array(FIELDS[$name]) ? [implode(',', $value)] : (array) $value;
        foreach ($values as $one) {
            $text = is_bool($one) ? ($one ? 'true' : 'false') : (string) $one;
            $pairs[] = rawurlencode($name) . '=' . rawurlencode($text);
        }
    }
    $pairs[] = 'lang=' . $language;
    return rtrim(\ALMANAKK_URL, '/') . '/events.html?' . implode('&', $pairs);
}

/** `data`: the `events` of one page of a list, whether it `hasMore`, and `hints`: problems with values that the calendar does not know. */
function listOf(array $filter, int $count, int $page): array
{
    $variables = ['filter' => (object) $filter, 'count' => $count, 'page' => $page - 1];
    return cached(LIST_QUERY . wp_json_encode($variables), function () use ($variables): array {
        ['data' => $data, 'hints' => $hints, 'problem' => $problem] = fetch(LIST_QUERY, $variables);
        $list = $data['events'] ?? null;
        if ($list === null) {
            return ['data' => null, 'problem' => $problem];
        }
        $asProblem = fn (array $hint): array =>
            ['hint', ['{name}' => $hint['argument'], '{found}' => $hint['value'], '{message}' => $hint['message']]];
        $found = ['events' => $list['data'], 'hasMore' => $list['hasMore'], 'hints' => array_map($asProblem, $hints)];
        return ['data' => $found, 'problem' => null];
    });
}

/** `data`: an `event` and its `jsonLd`. The problem of an event that the calendar does not have is `missing`. */
function eventOf(string $slug): array
{
    return cached(EVENT_QUERY . $slug, function () use ($slug): array {
        ['data' => $data, 'problem' => $problem] = fetch(EVENT_QUERY, ['slug' => $slug]);
        $event = $data['eventBySlug'] ?? null;
        if ($event === null) {
            return ['data' => null, 'problem' => $problem ?? ['missing', []]];
        }
        $path = '/events.jsonld?lang=' . languageOf(get_locale()) . '&event=' . rawurlencode($event['id']);
        $jsonLd = json_decode(ask($path)['body'] ?? '', true);
        return ['data' => ['event' => $event, 'jsonLd' => $jsonLd], 'problem' => null];
    });
}

/**
 * What `$fetch` returns, `data` or else a `problem`, from the cache, or else from the calendar. If that does not answer, the older data is used for a
 * day, and the calendar is asked again after a while. While one page view waits for the calendar, others use the older data.
 */
function cached(string $name, callable $fetch): array
{
    // WordPress would keep a transient of 0 seconds for ever.
    $kept = max(FRESH, defined('ALMANAKK_KEPT') ? (int) \ALMANAKK_KEPT : KEPT);
    $key = 'almanakk_' . md5(\ALMANAKK_URL . $name);
    $now = time();
    $known = get_transient($key);
    if (!is_array($known)) {
        $known = ['asked' => 0, 'answered' => 0, 'data' => null, 'problem' => ['noAnswer', []]];
    }
    if ($now - $known['asked'] >= FRESH && get_transient('almanakk_pause') === false) {
        // The first page view has nothing that others could use meanwhile: they ask as well.
        if ($known['data'] !== null) {
            set_transient($key, ['asked' => $now] + $known, $kept);
        }
        ['data' => $data, 'problem' => $problem] = $fetch();
        if ($problem !== null && $problem[0] === 'missing') {
            // Not cached: addresses can be made up without end. An event that was taken down is no longer shown.
            delete_transient($key);
            return ['data' => null, 'problem' => $problem];
        }
        $known = ['asked' => $now, 'problem' => $problem] + $known;
        if ($data !== null) {
            $known = ['answered' => $now, 'data' => $data] + $known;
        }
        set_transient($key, $known, $kept);
    }
    return $now - $known['answered'] < $kept ? $known : ['data' => null] + $known;
}

/** The `data` of a query and its `hints`, or the `problem` if the calendar does not answer as expected; PHP's log has its reason. */
function fetch(string $query, array $variables): array
{
    ['status' => $status, 'body' => $body] = ask('/graphQL', wp_json_encode(['query' => $query, 'variables' => (object) $variables]));
    $answer = json_decode($body ?? '', true);
    if (is_array($answer['data'] ?? null)) {
        return ['data' => $answer['data'], 'hints' => $answer['extensions']['hints'] ?? [], 'problem' => null];
    }
    $failed = ['data' => null, 'hints' => [], 'problem' => ['noAnswer', []]];
    if ($body === null) {
        return $failed;
    }
    $error = $answer['errors'][0] ?? [];
    $reasons = implode('; ', $error['extensions']['reasons'] ?? [$error['message'] ?? 'no JSON with data']);
    error_log('almanakk: ' . \ALMANAKK_URL . "/graphQL: expected data, found HTTP $status: $reasons");
    $isOurs = ($error['extensions']['code'] ?? '') === 'BAD_USER_INPUT' || $status === 400;
    return $isOurs ? ['problem' => ['refused', ['{found}' => $reasons]]] + $failed : $failed;
}

/** The calendar's answer: its `status` and its `body`, which is null if there is none. A POST if there is something to send. */
function ask(string $path, ?string $sent = null): array
{
    $address = rtrim(\ALMANAKK_URL, '/') . $path;
    $reply = wp_remote_request($address, [
        'method' => $sent === null ? 'GET' : 'POST',
        'timeout' => TIMEOUT,
        'limit_response_size' => MOST_BYTES,
        'headers' => ['Content-Type' => 'application/json'] + (defined('ALMANAKK_KEY') ? ['X-Api-Key' => \ALMANAKK_KEY] : []),
        'body' => $sent,
    ]);
    $isAnswered = !is_wp_error($reply);
    $status = $isAnswered ? (int) wp_remote_retrieve_response_code($reply) : 0;
    // A list that the calendar refuses says nothing about other lists.
    if (!$isAnswered || $status >= 500) {
        set_transient('almanakk_pause', 1, PAUSE);
    }
    if (!$isAnswered) {
        error_log("almanakk: $address: " . $reply->get_error_message());
    }
    return ['status' => $status, 'body' => $isAnswered ? wp_remote_retrieve_body($reply) : null];
}

/** A cached list may be older than the end of an event. */
function isOn(array $event): bool
{
    $hasEnd = $event['endDate'] !== $event['startDate'];
    return strtotime($event['endDate']) + ($hasEnd ? 0 : OPEN_ENDED) > time();
}

/** `$shown`: the texts, and what the shortcode asks for. */
function itemOf(array $event, array $shown): string
{
    $isOff = in_array($event['status'], ['CANCELLED', 'POSTPONED'], true);
    $title = textIn($event, 'title', $shown['language']) ?? ['text' => '', 'lang' => $shown['language']];
    $summary = textIn($event, 'summary', $shown['language']);
    $place = placeOf($event, $shown);
    $price = priceOf($event, $shown);
    $states = array_map(
        fn (string $state): string => '<strong class="almanakk-state">' . esc_html($state) . '</strong>',
        statesOf($event, $shown),
    );
    $start = $event['allDay'] ? substr($event['startDate'], 0, 10) : str_replace(' ', 'T', $event['startDate']);
    $parts = [
        $shown['hasPictures'] ? pictureOf($event['images'][0] ?? null) : '',
        '<a class="almanakk-title" href="' . esc_url(pageOf($event, $shown)) . '"' . langOf($title, $shown) . '>' . esc_html($title['text']) . '</a>',
        '<time datetime="' . esc_attr($start) . '">' . esc_html(whenOf($event, $shown)) . '</time>',
        $place === '' ? '' : '<span class="almanakk-place">' . esc_html($place) . '</span>',
        $price === '' ? '' : '<span class="almanakk-price">' . esc_html($price) . '</span>',
        ...$states,
        $summary === null ? '' : '<p class="almanakk-summary"' . langOf($summary, $shown) . '>' . esc_html($summary['text']) . '</p>',
    ];
    $class = $isOff ? 'almanakk-event almanakk-off' : 'almanakk-event';
    return "<li class=\"$class\">" . implode(' ', array_filter($parts)) . '</li>';
}

/** In Norwegian or English, as the list is, or else in the other one, with the language that it is in. Null without either. */
function textIn(array $event, string $field, string $language): ?array
{
    $texts = [
        ['text' => $event["{$field}_nb"], 'lang' => $event['norwegian'] ?? 'nb'],
        ['text' => $event["{$field}_en"], 'lang' => 'en'],
    ];
    foreach ($language === 'en' ? array_reverse($texts) : $texts as $text) {
        if (($text['text'] ?? '') !== '') {
            return $text;
        }
    }
    return null;
}

function langOf(array $text, array $shown): string
{
    return $text['lang'] === $shown['language'] ? '' : ' lang="' . esc_attr($text['lang']) . '"';
}

/** The newspaper's own page, or else the calendar's page of this date, in the language of the list. A page of another site has none of its own. */
function pageOf(array $event, array $shown): string
{
    if ($shown['link'] !== '') {
        return strtr($shown['link'], [
            '{slug}' => rawurlencode($event['event_slug']),
            '{id}' => rawurlencode($event['id']),
            '{date}' => substr($event['startDate'], 0, 10),
        ]);
    }
    $page = $event['occurrenceLink'] ?? null;
    return $page === null ? $event['eventLink'] : $page . (str_contains($page, '?') ? '&' : '?') . 'lang=' . $shown['language'];
}

/** The reader's browser loads it from the organizer's server, which does not learn the page. Empty without a picture. */
function pictureOf(?array $image, string $size = 'urlSmall'): string
{
    $address = esc_url(($image[$size] ?? '') ?: ($image['urlLarge'] ?? ''));
    if ($address === '') {
        return '';
    }
    [$width, $height] = [$image['width'] ?? null, $image['height'] ?? null];
    $measures = $width && $height ? ' width="' . (int) $width . '" height="' . (int) $height . '"' : '';
    $alt = esc_attr($image['alt'] ?? '');
    $credits = trim($image['credits'] ?? '');
    $caption = $credits === '' ? '' : '<figcaption>' . esc_html($credits) . '</figcaption>';
    // Many themes limit only the pictures of WordPress's own library.
    $fitting = ' style="max-width:100%;height:auto"';
    $picture = "<img src=\"$address\" alt=\"$alt\"$measures$fitting loading=\"lazy\" decoding=\"async\" referrerpolicy=\"no-referrer\">";
    return "<figure class=\"almanakk-picture\">$picture$caption</figure>";
}

/** With the municipality, unless the name or the filter says it. */
function placeOf(array $event, array $shown): string
{
    $name = $event['venue']['name'] ?? '';
    $municipality = $event['venue']['municipality'] ?? '';
    if ($name === '') {
        return $event['mode'] === 'online' ? $shown['online'] : '';
    }
    $isNamed = !$shown['hasMunicipality'] || $municipality === '' || str_contains($name, $municipality);
    return $isNamed ? $name : "$name, $municipality";
}

/** Whether a visitor can come, and whether the date was moved. */
function statesOf(array $event, array $shown): array
{
    $state = match (true) {
        $event['status'] === 'CANCELLED' => $shown['cancelled'],
        $event['status'] === 'POSTPONED' => $shown['postponed'],
        $event['eventSoldOut'] => $shown['soldOut'],
        default => '',
    };
    return array_values(array_filter([$state, movedOf($event, $shown)]));
}

/** The old day or, if it is the same, the old time. The old start may be unknown. */
function movedOf(array $event, array $shown): string
{
    $previous = $event['previousStartDate'] ?? null;
    if ($previous === null) {
        return $event['status'] === 'RESCHEDULED' ? $shown['moved'] : '';
    }
    $isSameDay = substr($previous, 0, 10) === substr($event['startDate'], 0, 10);
    return $shown['movedFrom'] . ' ' . ($isSameDay ? $shown['clock'] . clockOf($previous, $shown) : dayOf($previous, $shown));
}

/** The start, and the end if there is one; of an event that began on an earlier day, the last day. */
function whenOf(array $event, array $shown): string
{
    ['startDate' => $start, 'endDate' => $end, 'allDay' => $allDay] = $event;
    $seconds = strtotime($end) - strtotime($start);
    // Midnight is the end of the day before it.
    $isAtMidnight = substr($end, 11, 5) === '00:00';
    $lastDay = $isAtMidnight ? (new DateTimeImmutable(substr($end, 0, 10)))->modify('-1 day')->format('Y-m-d') : substr($end, 0, 10);
    $isLong = $seconds > ($allDay ? 0 : HALF_A_DAY) && $lastDay !== substr($start, 0, 10);
    if ($isLong && substr($start, 0, 10) < today()) {
        return "{$shown['until']} " . dayOf($lastDay, $shown);
    }
    $before = ($shown['language'] === 'en' ? ', ' : ' ') . $shown['clock'];
    $from = ucfirst(dayOf($start, $shown)) . ($allDay ? '' : $before . clockOf($start, $shown));
    if ($isLong) {
        $until = dayOf($lastDay, $shown);
        return "$from – $until" . ($allDay || $isAtMidnight ? '' : $before . clockOf($end, $shown));
    }
    $clock = $allDay || $seconds === 0 ? '' : '–' . clockOf($end, $shown);
    $others = array_filter(
        array_column($event['repetitions'] ?? [], 'startDate'),
        fn (string $other): bool => !$allDay && substr($other, 0, 10) === substr($start, 0, 10),
    );
    $also = array_map(fn (string $other): string => ", {$shown['also']} " . clockOf($other, $shown), $others);
    return $from . $clock . implode('', $also);
}

/** `fredag 20. november`, with the year if it is another one. The calendar writes datetimes in Norwegian time, so this day is Norway's. */
function dayOf(string $datetime, array $shown): string
{
    $day = new DateTimeImmutable(substr($datetime, 0, 10));
    $year = $day->format('Y') === substr(today(), 0, 4) ? '' : ' ' . $day->format('Y');
    $number = $day->format('j') . ($shown['language'] === 'en' ? '' : '.');
    return "{$shown['weekdays'][(int) $day->format('w')]} $number {$shown['months'][(int) $day->format('n') - 1]}$year";
}

/** In Norway. */
function today(): string
{
    return (new DateTimeImmutable('@' . time()))->setTimezone(new DateTimeZone('Europe/Oslo'))->format('Y-m-d');
}

function clockOf(string $datetime, array $shown): string
{
    $clock = substr($datetime, 11, 5);
    return $shown['language'] === 'en' ? $clock : str_replace(':', '.', $clock);
}

/** From the lowest to the highest, such as `150–250 kr`; empty if nothing is known. Free tickets are for companions or small children. */
function priceOf(array $event, array $shown): string
{
    if ($event['ticketsInformation'] === 'free') {
        return $shown['free'];
    }
    $paid = array_filter(array_column($event['occurrencePrices'] ?? $event['prices'] ?? [], 'price'));
    if ($event['ticketsInformation'] !== 'ticketsInfo' || $paid === []) {
        return '';
    }
    $separator = $shown['language'] === 'en' ? ',' : "\u{a0}";
    $ends = array_unique([min($paid), max($paid)]);
    return implode('–', array_map(fn (int $price): string => number_format($price, 0, ',', $separator), $ends)) . "\u{a0}kr";
}

/** The address of the page with [almanakk_arrangement], as a pattern for links; empty if there is none. */
function linkToPage(): string
{
    $id = get_transient('almanakk_page');
    if ($id === false) {
        $pages = get_posts(['post_type' => 'page', 's' => '[almanakk_arrangement', 'orderby' => 'ID', 'order' => 'ASC', 'numberposts' => 1]);
        $id = $pages === [] ? 0 : $pages[0]->ID;
        set_transient('almanakk_page', $id, 3600);
    }
    $address = (int) $id === 0 ? false : get_permalink((int) $id);
    return $address === false ? '' : add_query_arg(['arrangement' => '{slug}', 'dato' => '{date}'], $address);
}

/** A site may have post types named `arrangement`, for which WordPress would look instead of the page. */
function withoutPostType(array $request): array
{
    $isPage = isset($request['pagename']) || isset($request['page_id']);
    $isOfType = isset($request['arrangement']);
    return $isPage && $isOfType ? array_diff_key($request, ['arrangement' => 1, 'post_type' => 1, 'name' => 1]) : $request;
}

/** Finds the event before WordPress sends the status and the head of the page. */
function openEvent(): void
{
    $page = get_queried_object();
    if (!is_page() || !has_shortcode($page->post_content, 'almanakk_arrangement') || !defined('ALMANAKK_URL')) {
        return;
    }
    $found = opened(['page' => $page->ID] + found());
    $slug = $found['event']['event_slug'] ?? null;
    if ($slug !== null && $slug !== $found['slug']) {
        // The event has been renamed.
        wp_safe_redirect(add_query_arg('arrangement', $slug), 301);
        exit;
    }
    if ($found['status'] !== 200) {
        status_header($found['status']);
        nocache_headers();
    }
}

/** What this request shows on the page of events; null on other pages. */
function opened(?array $found = null): ?array
{
    static $kept = null;
    return $kept = $found ?? $kept;
}

/** Whether it is the number of the page that shows an event in this request. */
function isOpened(mixed $id): bool
{
    return opened() !== null && is_numeric($id) && (int) $id === opened()['page'];
}

/** The event that the address of this page names, its JSON-LD, and the status of the page. */
function found(): array
{
    $slug = given('arrangement', '~^[A-Za-z0-9_-]{1,200}$~D');
    if ($slug === '') {
        // Editors look at the page without an event; a slug of another form names none.
        return ['slug' => '', 'event' => null, 'status' => isset($_GET['arrangement']) ? 404 : 200];
    }
    ['data' => $data, 'problem' => $problem] = eventOf($slug);
    $without = $problem !== null && $problem[0] === 'missing' ? 404 : 503;
    return ['slug' => $slug, 'status' => $data === null ? $without : 200] + ($data ?? ['event' => null]);
}

/** The content of the page of events. */
function showEvent(): string
{
    $texts = textsIn(get_locale());
    if (!defined('ALMANAKK_URL')) {
        return noticesOf([['noAddress', []]]);
    }
    ['event' => $event, 'status' => $status] = opened() ?? found();
    $all = linkToAll(addressOfAll([], $texts['language']), $texts);
    if ($event === null) {
        $sentence = [200 => $texts['choose'], 404 => $texts['missing'], 503 => $texts['away']][$status];
        return "<div class=\"almanakk\" lang=\"{$texts['language']}\"><p>" . esc_html($sentence) . "</p>$all</div>";
    }
    return "<div class=\"almanakk\" lang=\"{$texts['language']}\">" . withoutShortcodes(eventPage($event, $texts)) . "$all</div>";
}

/** The date that the address names, or else the next one, and then the others. */
function eventPage(array $event, array $shown): string
{
    $dates = [['repetitions' => []] + $event];
    foreach ($event['repetitions'] as $repetition) {
        $dates[] = $repetition + $dates[0];
    }
    $day = given('dato', '~^\d{4}-\d\d-\d\d$~D');
    $days = array_map(fn (array $date): string => substr($date['startDate'], 0, 10), $dates);
    $index = array_search($day, $days, true);
    $date = $dates[(int) $index];
    $description = textIn($event, 'desc', $shown['language']);
    $organizers = implode(', ', array_column($event['organizers'] ?? [], 'name'));
    $others = array_diff_key($dates, [(int) $index => true]);
    $items = array_map(fn (array $other): string => '<li>' . dateOf($other, $shown) . '</li>', $others);
    $parts = [
        $day !== '' && $index === false ? '<p class="almanakk-note">' . esc_html($shown['otherDate']) . '</p>' : '',
        '<p class="almanakk-date">' . dateOf($date, $shown) . '</p>',
        pictureOf($event['images'][0] ?? null, 'urlLarge'),
        // The calendar sends it as safe HTML. WordPress's own list of elements is a second lock.
        $description === null
            ? ''
            : '<div class="almanakk-description"' . langOf($description, $shown) . '>' . wp_kses_post($description['text']) . '</div>',
        $organizers === '' ? '' : '<p class="almanakk-organizer">' . esc_html("{$shown['organizer']} $organizers") . '</p>',
        $items === [] ? '' : '<h2>' . esc_html($shown['dates']) . '</h2><ul class="almanakk-dates">' . implode('', $items) . '</ul>',
    ];
    return implode('', $parts);
}

/** One date of an event page: the time, what is unusual, the place, the price, and where to buy tickets. */
function dateOf(array $date, array $shown): string
{
    $states = [...statesOf($date, $shown), ...(isOn($date) ? [] : [$shown['ended']])];
    $address = $date['venue']['address'] ?? '';
    // An address has its town.
    $place = implode(', ', array_filter([placeOf($date, ['hasMunicipality' => $address === ''] + $shown), $address]));
    $price = priceOf($date, $shown);
    $hasTickets = $states === [] && ($date['ticketsURL'] ?? '') !== '';
    $start = $date['allDay'] ? substr($date['startDate'], 0, 10) : str_replace(' ', 'T', $date['startDate']);
    $parts = [
        '<time datetime="' . esc_attr($start) . '">' . esc_html(whenOf($date, $shown)) . '</time>',
        ...array_map(fn (string $state): string => '<strong class="almanakk-state">' . esc_html($state) . '</strong>', $states),
        $place === '' ? '' : '<span class="almanakk-place">' . esc_html($place) . '</span>',
        $price === '' ? '' : '<span class="almanakk-price">' . esc_html($price) . '</span>',
        $hasTickets ? '<a class="almanakk-tickets" href="' . esc_url($date['ticketsURL']) . '">' . esc_html($shown['tickets']) . '</a>' : '',
    ];
    return implode('<br>', array_filter($parts));
}

/** The title of the opened event; empty without one. */
function openedTitle(): string
{
    $event = opened()['event'] ?? null;
    return $event === null ? '' : textIn($event, 'title', languageOf(get_locale()))['text'] ?? '';
}

function titleParts(array $parts): array
{
    $title = openedTitle();
    $page = hasPages(get_queried_object()) ? pageGiven() : 1;
    $own = ['title' => $title ?: ($parts['title'] ?? ''), 'page' => $page === 1 ? '' : textsIn(get_locale())['page'] . " $page"];
    return array_filter($own) + $parts;
}

/**
 * The page's heading becomes the event's title. Menus with this page keep its name: they are outside the loop, which block themes do not have. Other
 * plugins pass anything as the number of the post.
 */
function headingOf(mixed $title, mixed $id = 0): mixed
{
    $isHeading = isOpened($id) && (in_the_loop() || wp_is_block_theme());
    return $isHeading && openedTitle() !== '' ? withoutShortcodes(esc_html(openedTitle())) : $title;
}

/** One event has one canonical address, whichever site shows it. Each page of a list has its own. */
function canonicalOf(mixed $address, mixed $post): mixed
{
    if ($post instanceof \WP_Post && isOpened($post->ID)) {
        ['event' => $event, 'status' => $status] = opened();
        return $status === 200 ? $event['eventLink'] ?? $address : '';
    }
    $page = hasPages($post) ? pageGiven() : 1;
    return $page === 1 ? $address : add_query_arg('side', $page, $address);
}

/** Whether a page has a list with `sider`, as a shortcode or as a block. */
function hasPages(mixed $post): bool
{
    $pattern = '~\[almanakk\s[^\]]*\b(sider|paging)\b|<!-- wp:almanakk/liste \{[^>]*"sider":true~i';
    return $post instanceof \WP_Post && preg_match($pattern, $post->post_content) === 1;
}

/** Without an event, the page is nothing to find. */
function robotsOf(array $robots): array
{
    return opened() !== null && opened()['event'] === null ? ['noindex' => true] + $robots : $robots;
}

/** For search engines, and for previews in social media. */
function writeHead(): void
{
    $event = opened()['event'] ?? null;
    if ($event === null) {
        return;
    }
    $summary = textIn($event, 'summary', languageOf(get_locale()))['text'] ?? '';
    $image = esc_url($event['images'][0]['urlLarge'] ?? '');
    $metas = [
        '<meta property="og:title" content="' . esc_attr(openedTitle()) . '">',
        '<meta property="og:url" content="' . esc_url($event['eventLink']) . '">',
        $summary === '' ? '' : '<meta name="description" property="og:description" content="' . esc_attr($summary) . '">',
        $image === '' ? '' : "<meta property=\"og:image\" content=\"$image\">",
    ];
    echo implode("\n", array_filter($metas)), "\n";
    if (opened()['jsonLd'] !== null) {
        // No text can close the element.
        echo '<script type="application/ld+json">', wp_json_encode(opened()['jsonLd'], JSON_HEX_TAG | JSON_UNESCAPED_UNICODE), "</script>\n";
    }
}

function registerBlock(): void
{
    register_block_type('almanakk/liste', [
        'api_version' => 2,
        'title' => textsIn(get_user_locale())['block'],
        'category' => 'widgets',
        'icon' => 'calendar-alt',
        'attributes' => BLOCK_ATTRIBUTES,
        'render_callback' => __NAMESPACE__ . '\showBlock',
    ]);
}

/** The list of a shortcode with the same values. */
function showBlock(array $attributes): string
{
    $written = array_filter(array_intersect_key($attributes, BLOCK_ATTRIBUTES), fn (mixed $value): bool => $value !== '' && $value !== false);
    $asTexts = array_map(fn (mixed $value): string => $value === true ? 'ja' : (string) $value, $written);
    return '<div ' . get_block_wrapper_attributes() . '>' . show($asTexts) . '</div>';
}

/** The block's script, with the texts and menus in the editor's own language. */
function enqueueBlock(): void
{
    $texts = textsIn(get_user_locale());
    $given = ['texts' => array_filter($texts, 'is_string'), 'menus' => menusOf($texts)];
    wp_register_script('almanakk-block', false, ['wp-blocks', 'wp-block-editor', 'wp-components', 'wp-element', 'wp-server-side-render']);
    wp_add_inline_script('almanakk-block', 'const almanakkBlock = ' . wp_json_encode($given, JSON_HEX_TAG) . ";\n" . BLOCK_SCRIPT);
    wp_enqueue_script('almanakk-block');
}

/** The choices by the names of the shortcode. Without the calendar, there are no municipalities and categories. */
function menusOf(array $texts): array
{
    $data = defined('ALMANAKK_URL') ? cached(MENUS_QUERY, fn (): array => fetch(MENUS_QUERY, []))['data'] : null;
    $option = fn (string $value, string $label): array => ['value' => $value, 'label' => $label];
    $towns = array_column($data['events']['municipalities'] ?? [], 'name');
    $categories = array_filter($data['categories'] ?? [], fn (array $category): bool => $category['visible']);
    $nameOf = fn (array $category): string => $category["name_{$texts['language']}"] ?? $category['name_nb'];
    return [
        'kommune' => array_map(fn (string $town): array => $option($town, $town), $towns),
        'kategori' => array_values(array_map(fn (array $category): array => $option($category['id'], $nameOf($category)), $categories)),
        'periode' => array_map(fn (string $period): array => $option($period, $texts[$period]), PERIODS),
    ];
}
