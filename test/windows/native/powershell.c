// Stands in for PowerShell, once for an operation or as a session. In the folder of the program it notes how it was started, each
// operation and each request, waits while there is no `gate`, and answers with `answer-<operation>` or with success and no data.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static char folder[MAX_PATH];

static const char *in_folder(const char *name) {
  static char path[2 * MAX_PATH];
  snprintf(path, sizeof path, "%s\\%s", folder, name);
  return path;
}

// Appends in one write: several of these processes may run.
static void append(const char *name, const char *bytes, DWORD length) {
  HANDLE file = CreateFileA(in_folder(name), FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_ALWAYS, 0, NULL);
  DWORD written;
  if (!WriteFile(file, bytes, length, &written, NULL)) exit(98);
  CloseHandle(file);
}

static void append_line(const char *name, const char *text) {
  static char line[70000];
  append(name, line, (DWORD)snprintf(line, sizeof line, "%s\n", text));
}

static void append_utf8(const char *name, const wchar_t *text, int length) {
  int size = WideCharToMultiByte(CP_UTF8, 0, text, length, NULL, 0, NULL, NULL);
  char *bytes = malloc(size);
  WideCharToMultiByte(CP_UTF8, 0, text, length, bytes, size, NULL, NULL);
  append(name, bytes, size);
  free(bytes);
}

// All arguments and all variables, each followed by a NUL.
static void note_start(void) {
  char name[64];
  int count;
  wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &count);
  snprintf(name, sizeof name, "arguments-%lu", GetCurrentProcessId());
  for (int i = 1; i < count; i++) append_utf8(name, arguments[i], wcslen(arguments[i]) + 1);
  snprintf(name, sizeof name, "environment-%lu", GetCurrentProcessId());
  const wchar_t *variables = GetEnvironmentStringsW();
  for (const wchar_t *one = variables; *one; one += wcslen(one) + 1) append_utf8(name, one, wcslen(one) + 1);
}

// Prints the answer: an object, which begins with `begin` in place of its bracket.
static void answer(const char *begin, const char *operation) {
  static char content[1 << 16] = "";
  char name[128];
  append_line("operations", operation);
  while (GetFileAttributesA(in_folder("gate")) == INVALID_FILE_ATTRIBUTES) {
    if (GetFileAttributesA(folder) == INVALID_FILE_ATTRIBUTES) exit(99);
    Sleep(10);
  }
  snprintf(name, sizeof name, "answer-%s", operation);
  FILE *file = fopen(in_folder(name), "rb");
  size_t length = file ? fread(content, 1, sizeof content - 1, file) : 0;
  content[length] = '\0';
  if (file) fclose(file);
  printf("%s%s\r\n", begin, (file ? content : "{\"ok\":true,\"data\":null}") + 1);
  fflush(stdout);
  append_line("ended", operation);
}

// The requests of a session begin with the number and the operation.
static void serve(void) {
  static char line[70000];
  while (fgets(line, sizeof line, stdin)) {
    int id;
    char operation[64], begin[32];
    line[strcspn(line, "\r\n")] = '\0';
    if (sscanf(line, "{\"id\":%d,\"op\":\"%63[^\"]\"", &id, operation) != 2) exit(97);
    append_line("requests", line);
    snprintf(begin, sizeof begin, "{\"id\":%d,", id);
    answer(begin, operation);
  }
}

int main(void) {
  GetModuleFileNameA(NULL, folder, sizeof folder);
  *strrchr(folder, '\\') = '\0';
  note_start();
  const char *operation = getenv("CSI_PROXY_OP");
  if (operation) answer("{", operation);
  else serve();
  return 0;
}
