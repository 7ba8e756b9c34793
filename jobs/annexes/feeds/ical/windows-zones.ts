/** Windows' names of time zones, in lower case, with the time zone database's (Unicode CLDR, windowsZones, territory 001). */

/** By area: the names without `standard time`, and the places. */
const PLACES: Readonly<Record<string, string>> = {
  Etc: `
    dateline = GMT+12; mid-atlantic = GMT+2`,
  America: `
    aleutian = Adak; alaskan = Anchorage; pacific = Los_Angeles; us mountain = Phoenix; mountain = Denver;
    yukon = Whitehorse; central america = Guatemala; central = Chicago; canada central = Regina;
    sa pacific = Bogota; eastern = New_York; haiti = Port-au-Prince; cuba = Havana;
    us eastern = Indianapolis; turks and caicos = Grand_Turk; paraguay = Asuncion; atlantic = Halifax;
    venezuela = Caracas; central brazilian = Cuiaba; sa western = La_Paz; pacific sa = Santiago;
    newfoundland = St_Johns; tocantins = Araguaina; e. south america = Sao_Paulo; sa eastern = Cayenne;
    argentina = Buenos_Aires; greenland = Godthab; montevideo = Montevideo; magallanes = Punta_Arenas;
    saint pierre = Miquelon; bahia = Bahia`,
  Pacific: `
    hawaiian = Honolulu; marquesas = Marquesas; easter island = Easter; west pacific = Port_Moresby;
    bougainville = Bougainville; norfolk = Norfolk; central pacific = Guadalcanal; new zealand = Auckland;
    fiji = Fiji; chatham islands = Chatham; tonga = Tongatapu; samoa = Apia; line islands = Kiritimati`,
  Atlantic: `
    azores = Azores; cape verde = Cape_Verde; greenwich = Reykjavik`,
  Europe: `
    gmt = London; w. europe = Berlin; central europe = Budapest; romance = Paris; central european = Warsaw;
    gtb = Bucharest; e. europe = Chisinau; fle = Kiev; kaliningrad = Kaliningrad; turkey = Istanbul;
    belarus = Minsk; russian = Moscow; volgograd = Volgograd; astrakhan = Astrakhan; saratov = Saratov`,
  Africa: `
    sao tome = Sao_Tome; morocco = Casablanca; w. central africa = Lagos; egypt = Cairo;
    south africa = Johannesburg; south sudan = Juba; sudan = Khartoum; libya = Tripoli; namibia = Windhoek;
    e. africa = Nairobi`,
  Asia: `
    jordan = Amman; middle east = Beirut; syria = Damascus; west bank = Hebron; israel = Jerusalem;
    arabic = Baghdad; arab = Riyadh; iran = Tehran; arabian = Dubai; azerbaijan = Baku; georgian = Tbilisi;
    caucasus = Yerevan; afghanistan = Kabul; west asia = Tashkent; ekaterinburg = Yekaterinburg;
    pakistan = Karachi; qyzylorda = Qyzylorda; india = Calcutta; sri lanka = Colombo; nepal = Katmandu;
    central asia = Bishkek; bangladesh = Dhaka; omsk = Omsk; myanmar = Rangoon; se asia = Bangkok;
    altai = Barnaul; w. mongolia = Hovd; north asia = Krasnoyarsk; n. central asia = Novosibirsk;
    tomsk = Tomsk; china = Shanghai; north asia east = Irkutsk; singapore = Singapore; taipei = Taipei;
    ulaanbaatar = Ulaanbaatar; transbaikal = Chita; tokyo = Tokyo; north korea = Pyongyang; korea = Seoul;
    yakutsk = Yakutsk; vladivostok = Vladivostok; magadan = Magadan; sakhalin = Sakhalin;
    kamchatka = Kamchatka`,
  Indian: `
    mauritius = Mauritius`,
  Australia: `
    w. australia = Perth; aus central w. = Eucla; cen. australia = Adelaide; aus central = Darwin;
    e. australia = Brisbane; aus eastern = Sydney; tasmania = Hobart; lord howe = Lord_Howe`,
};

const OTHERS = `
  utc-11 = Etc/GMT+11; utc-09 = Etc/GMT+9; pacific standard time (mexico) = America/Tijuana;
  utc-08 = Etc/GMT+8; mountain standard time (mexico) = America/Mazatlan;
  central standard time (mexico) = America/Mexico_City; eastern standard time (mexico) = America/Cancun;
  utc-02 = Etc/GMT+2; utc = UTC; coordinated universal time = UTC; russia time zone 3 = Europe/Samara;
  russia time zone 10 = Asia/Srednekolymsk; russia time zone 11 = Asia/Kamchatka; utc+12 = Etc/GMT-12;
  utc+13 = Etc/GMT-13`;

function pairsIn(table: string): readonly (readonly [windows: string, zone: string])[] {
  return table.split(/;/).map((pair) => {
    const [windows = '', zone = ''] = pair.split('=').map((part) => part.trim());
    return [windows, zone];
  });
}

export const WINDOWS_ZONES: ReadonlyMap<string, string> = new Map([
  ...pairsIn(OTHERS),
  ...Object.entries(PLACES).flatMap(([area, table]) =>
    pairsIn(table).map(([windows, place]) => [`${windows} standard time`, `${area}/${place}`] as const),
  ),
]);
