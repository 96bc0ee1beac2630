// The dropped files, including those in dropped folders, with their paths.

export interface Dropped {
  file: File;
  path: string;
}

export async function filesOf(transfer: DataTransfer): Promise<Dropped[]> {
  const entries = [...transfer.items].map((each) => each.webkitGetAsEntry()).filter((each) => each !== null);
  if (!entries.length) return [...transfer.files].map((file) => ({ file, path: file.name }));
  return (await Promise.all(entries.map(walked))).flat();
}

async function walked(entry: FileSystemEntry): Promise<Dropped[]> {
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ file, path }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Dropped[] = [];
  for (;;) {
    // A directory is read in parts; the last part is empty.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!part.length) return found;
    for (const each of part) found.push(...(await walked(each)));
  }
}
