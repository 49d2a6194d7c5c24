/** What a person has chosen in this browser, for the next time. */

const PREFIX = 'stockbook-';

/** The first of the options unless another one was chosen. */
export function readPreference<Option extends string>(name: string, options: readonly [Option, ...Option[]]): Option {
  const chosen = localStorage.getItem(PREFIX + name);
  return options.find((option) => option === chosen) ?? options[0];
}

export function writePreference(name: string, option: string): void {
  localStorage.setItem(PREFIX + name, option);
}
