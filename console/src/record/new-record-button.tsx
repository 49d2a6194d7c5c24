export default function NewRecordButton() {
  return null;
}
