/** Filters by whether and for how much one gets in. */
import { flag } from '../../calendar/arguments.ts';
import { filter } from './filter.ts';
import { keepFlagged, removeFlagged } from './rows.ts';

export const TICKETS = {
  free: filter({
    type: 'Boolean',
    en: 'True: only events whose `ticketsInformation` is `free`.',
    nb: 'Sann: bare arrangementer med `ticketsInformation` lik `free`.',
    read: flag,
    condition: keepFlagged('free'),
    words: () => ['gratis', 'free', 'gratis'],
  }),
  cancelledNotIncluded: filter({
    type: 'Boolean',
    en: 'True: leave out events that do not take place at their time: cancelled and postponed ones.',
    nb: 'Sann: uten avlyste og utsatte arrangementer.',
    read: flag,
    condition: removeFlagged('cancelled'),
    words: () => ['uten avlyste', 'without cancelled ones', 'utan avlyste'],
  }),
  soldOutNotIncluded: filter({
    type: 'Boolean',
    en: 'True: leave out sold-out events.',
    nb: 'Sann: uten utsolgte arrangementer.',
    read: flag,
    condition: removeFlagged('soldOut'),
    words: () => ['uten utsolgte', 'without sold-out ones', 'utan utselde'],
  }),
};
