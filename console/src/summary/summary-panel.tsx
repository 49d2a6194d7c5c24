/** What the records that match have in common: histograms of numbers and dates, bars for the rest. */

export function SummaryPanel() {
  return null;
}
