/** All fields of one record, beside the table. */

export function RecordPanel({ id }: { readonly id: number }) {
  return <p>{id}</p>;
}
