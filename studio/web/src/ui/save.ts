// Saves a text of the page, or bytes that it has loaded, as a file.

export const save = (name: string, text: string, type: string) => saveBytes(name, new Blob([text], { type }));

export function saveBytes(name: string, content: Blob) {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
