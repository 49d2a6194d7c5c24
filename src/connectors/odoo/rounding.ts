/** Rounding as Odoo does it, to a multiple of the precision of a unit of measure. */

/** Half away from zero. A number that is half a step but for the error of its representation counts as half. */
export function rounded(value: number, precision: number): number {
  if (!(precision > 0) || value === 0) return value;
  // A precision such as 0.01 is not exact, but the number of steps in 1 is.
  const perUnit = precision < 1 ? inverse(precision) : undefined;
  const steps = perUnit === undefined ? value / precision : value * perUnit;
  const error = 2 ** (Math.log2(Math.abs(steps)) - 50);
  const nearest = Math.sign(steps) * Math.round(Math.abs(steps) + error);
  return perUnit === undefined ? nearest * precision : nearest / perUnit;
}

/** More exact than a division: 1 / 0.00001 is not 100000. */
function inverse(value: number): number {
  const [coefficient = '', exponent = ''] = value.toExponential(15).split('e');
  return Number(`${coefficient}e${-Number(exponent)}`) / Number(coefficient) ** 2;
}
