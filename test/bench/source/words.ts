/** Words that the made-up calendar is written with: few enough to read, combined into many (Norwegian compounds do that). */

/** First and last parts of compounds: some 5,000 words come of them. */
export const FIRST_PARTS =
  'barne bibliotek bok bolge brygge bygde bær dans domkirke dukke elve familie fele film fjell fjord folke forsommer fortelle frilufts gate gitar hage havne herre historie høst håndverk hånd jazz jule kammer kirke klima klubb kor korps kunst kveld kyst kår lese lokal lys låve marked mat mellom messe middag musikk måne natt nord nærmiljø opera orgel påske ramme reise revy rock salong samisk sang scene seter sjø ski skole skuespill slåtte sommer språk strikke studio stue syng teater torg trekkspill ung ute vandre ved verksted vinter vise vår øl øre åpen årstids'.split(
    ' ',
  );
export const LAST_PARTS =
  'aften arrangement besøk cafe dag dugnad ensemble festival film forestilling foredrag fortelling frokost galleri gjeng gruppe helg jam kafé klubb konkurranse konsert kor kurs kveld lag lek lørdag lunsj marked messe middag morgen møte natt opplevelse oppsetning parade quiz reise samling samtale sang seminar show spill stevne stund tog torg treff tur uke utstilling vandring verksted øvelse økt'.split(
    ' ',
  );

/** How a title begins: Norwegian, English. */
export const OPENINGS: readonly (readonly [nb: string, en: string])[] = [
  ['Konsert med', 'Concert with'],
  ['Åpen øvelse med', 'Open rehearsal with'],
  ['Teater:', 'Theatre:'],
  ['Foredrag ved', 'Talk by'],
  ['Omvisning med', 'Guided tour with'],
  ['Barnas time med', "Children's hour with"],
  ['Kveldsmat og prat med', 'Supper and a chat with'],
  ['Nykomponert av', 'New works by'],
  ['Verksted:', 'Workshop:'],
  ['Lansering:', 'Launch:'],
  ['Ærlig talt med', 'Frankly speaking with'],
  ['Quiz i lag med', 'Quiz night with'],
];

export const FIRST_NAMES =
  'Åse Ådne Ørjan Øystein Ærlend Kåre Bjørg Bjørn Sølvi Gro Ingrid Håkon Jørn Liv Marit Nils Oddvar Ragnhild Sigrid Tor Torbjørg Turid Ylva Amina Elif Mateusz Zoë André Maren Eirik Solveig Synnøve'.split(
    ' ',
  );
export const LAST_NAMES =
  'Økland Ødegård Åsheim Århus Bakken Bergø Dahl Eggen Fjær Grønning Hågensen Haugen Jenssen Kjær Lien Lunde Moe Myhre Nygård Næss Opdahl Rønning Sandø Solem Strøm Sæther Tangen Viken Wærnes Løvås Kowalski Özdemir'.split(
    ' ',
  );

export const SENTENCES_NB: readonly string[] = [
  'Velkommen til {compound} i regi av {name}, med {compound} og {compound} for små og store.',
  'Vi møtes ved inngangen, og dørene åpner en halvtime før {compound} begynner.',
  '{name} har i mange år arbeidet med {compound}, og viser nå fram det som er blitt til.',
  'Det blir servert kaffe, vafler og noe varmt i pausen, så ta gjerne med kontanter eller kort.',
  'Ta med gode sko og klær etter været; {compound} går delvis på sti og delvis på vei.',
  'Etterpå er det {compound} med {name}, der alle som vil kan være med.',
  'Billetter selges i døra så langt plassen rekker, og barn under tolv år går gratis.',
  'Programmet spenner fra {compound} til {compound}, med noe helt nytt til slutt.',
  'Lokalet har heis og teleslynge, og ledsager kommer inn uten å betale.',
  'Arrangementet er et samarbeid mellom {name} og {name}, støttet av kommunen.',
];

export const SENTENCES_EN: readonly string[] = [
  'Welcome to an afternoon with {name}, for listeners of every age and temper.',
  'Doors open half an hour before the start; please come early to find a good seat.',
  '{name} has worked with this material for years and now shows what became of it.',
  'Coffee, waffles and something warm are served in the break.',
  'Tickets are sold at the door while they last, and children under twelve come in free.',
  'The programme is in Norwegian, with a short introduction in English.',
  'Bring sturdy shoes and clothes for the weather: part of the way is a forest path.',
  'Afterwards there is a conversation with {name}, and everybody may join in.',
];

export const TAG_ENDS = 'gratis familie ute inne ung voksen lokalt tradisjon natur kultur'.split(' ');

export const PLACES: readonly (readonly [postalCode: string, place: string, municipality: string])[] = [
  ['7010', 'Trondheim', 'Trondheim'],
  ['7030', 'Trondheim', 'Trondheim'],
  ['7042', 'Trondheim', 'Trondheim'],
  ['7500', 'Stjørdal', 'Stjørdal'],
  ['7600', 'Levanger', 'Levanger'],
  ['7650', 'Verdal', 'Verdal'],
  ['7713', 'Steinkjer', 'Steinkjer'],
  ['7300', 'Orkanger', 'Orkland'],
  ['7340', 'Oppdal', 'Oppdal'],
  ['7374', 'Røros', 'Røros'],
  ['7224', 'Melhus', 'Melhus'],
  ['7160', 'Bjugn', 'Ørland'],
  ['7800', 'Namsos', 'Namsos'],
  ['7900', 'Rørvik', 'Nærøysund'],
  ['7550', 'Hommelvik', 'Malvik'],
  ['7260', 'Sistranda', 'Frøya'],
];

/** The 13 categories that ship, and how many subcategories each has here: 20 in all. */
export const CATEGORIES: readonly (readonly [id: string, nb: string, en: string, below: number])[] = [
  ['ART', 'Kunst og utstilling', 'Art and exhibitions', 2],
  ['EXPERIENCE', 'Opplevelse', 'Experiences', 1],
  ['FAMILY', 'Familie', 'Family', 2],
  ['FESTIVAL', 'Festival', 'Festivals', 0],
  ['FOOD', 'Mat og drikke', 'Food and drink', 2],
  ['LECTURE', 'Foredrag', 'Lectures', 1],
  ['LITERATURE', 'Litteratur', 'Literature', 1],
  ['MOVIES', 'Film', 'Movies', 1],
  ['MUSIC', 'Konsert og musikk', 'Concerts and music', 6],
  ['OTHER', 'Annet', 'Other', 0],
  ['SOCIAL', 'Sosialt', 'Social', 1],
  ['SPORT', 'Idrett', 'Sport', 1],
  ['THEATER', 'Teater', 'Theatre', 2],
];
