/** Entry point of the process that sends the attacks: begins and ends them by name. */
import { ATTACKS, type Attack, type Target } from './attacks.ts';

let running: readonly Attack[] = [];

type Message = { readonly begin: readonly string[]; readonly target: Target } | { readonly end: true };

process.on('message', (message: Message) => {
  if ('begin' in message) {
    running = message.begin.map((name) => {
      const attack = ATTACKS[name];
      if (attack === undefined) throw new Error(`expected one of ${Object.keys(ATTACKS)}, found ${name}`);
      return attack(message.target);
    });
    process.send?.({ begun: true });
  } else {
    for (const { stop } of running) stop();
    process.send?.({ tallies: running.map(({ tally }) => tally) });
    running = [];
  }
});

process.send?.({ isReady: true });
