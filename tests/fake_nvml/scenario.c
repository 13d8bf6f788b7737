/* Reads the scenario, and decides at the gate of each call whether it fails, hangs or dies. */
#include "fake_nvml.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Device *devices[MAX_DEVICES];
int device_count, cuda_version;
char driver_version[80], nvml_version[80];

static int init_code, initialised, loaded, fault_count;
static Fault faults[MAX_FAULTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void read_series(Series *series, const char *text) {
  series->length = series->next = 0;
  while (*text && series->length < MAX_SERIES) {
    char *end;
    unsigned value = strtoul(text, &end, 0);
    if (end == text) break;
    series->values[series->length++] = value;
    text = end + (*end == ',');
  }
}

unsigned next_of(Series *series, unsigned fallback) {
  if (!series->length) return fallback;
  unsigned value = series->values[series->next];
  if (series->next + 1 < series->length) series->next++;
  return value;
}

int copy_text(char *out, unsigned size, const char *text) {
  if (strlen(text) + 1 > size) return INSUFFICIENT_SIZE;
  strcpy(out, text);
  return OK;
}

static Device *new_device(int index) {
  Device *device = calloc(1, sizeof *device);
  if (!device) abort();
  *device = (Device){.magic = MAGIC, .index = index, .major = 8, .total = 8192ull << 20, .limit = 250000,
                     .max_clock = 1980, .default_clock = 1500, .memory_clock = 7000, .generation = 4, .width = 16,
                     .cores = 4096};
  snprintf(device->name, NAME, "NVIDIA Fake GPU");
  snprintf(device->uuid, NAME, "GPU-00000000-0000-0000-0000-%012d", index);
  snprintf(device->bus, sizeof device->bus, "00000000:%02X:00.0", 16 + index);
  snprintf(device->serial, sizeof device->serial, "132%010d", index);
  return device;
}

static void read_fault(Device *device, const char *key, const char *rest) {
  Fault fault = {.duration = -1};
  int number = 0;
  if (*key == 'c') {
    sscanf(rest, "%63s %d %d", fault.function, &fault.after, &fault.duration);
    fault.crash = 1;
  } else {
    sscanf(rest, "%63s %d %d %d", fault.function, &number, &fault.after, &fault.duration);
    *(*key == 'f' ? &fault.code : &fault.sleep_ms) = number;
  }
  if (device && device->fault_count < MAX_FAULTS) device->faults[device->fault_count++] = fault;
  if (!device && fault_count < MAX_FAULTS) faults[fault_count++] = fault;
}

static void read_mig(Device *device, const char *rest) {
  unsigned long long mib = 0;
  if (device->mig_count == MAX_MIG) return;
  Device *instance = new_device(device->mig_count);
  instance->is_mig = 1;
  instance->parent = device;
  sscanf(rest, "%95s %llu %u %u", instance->uuid, &mib, &instance->gpu_instance, &instance->compute_instance);
  instance->total = mib << 20;
  instance->major = device->major;
  instance->minor = device->minor;
  snprintf(instance->name, NAME, "%.60s MIG %lluMB", device->name, mib);
  device->mig[device->mig_count++] = instance;
}

static void read_process(Device *device, const char *rest) {
  unsigned long long mib = 0;
  if (device->process_count == MAX_PROCESSES) return;
  Process *process = &device->processes[device->process_count++];
  sscanf(rest, "%u %llu", &process->pid, &mib);
  process->bytes = mib ? mib << 20 : UNKNOWN_BYTES;
  process->gpu_instance = process->compute_instance = 0xFFFFFFFF;
}

static int read_figure(Device *device, const char *key, const char *rest) {
  const struct { const char *key; unsigned *figure; } figures[] = {
      {"limit", &device->limit}, {"maxsm", &device->max_clock}, {"defsm", &device->default_clock},
      {"memclk", &device->memory_clock}, {"fan", &device->fan}, {"mode", &device->mode},
      {"migmode", &device->mig_mode}, {"virt", &device->virtualisation}, {"cores", &device->cores},
      {"nvlink", &device->links}, {"nvswitch", &device->behind_switch}, {"p2p", &device->p2p_status}};
  const struct { const char *key; Series *series; } series[] = {
      {"temp", &device->temperature}, {"power", &device->power}, {"util", &device->utilisation},
      {"sm", &device->clock}, {"reasons", &device->reasons}};
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    if (!strcmp(key, figures[i].key)) return *figures[i].figure = strtoul(rest, NULL, 0), 1;
  for (size_t i = 0; i < sizeof series / sizeof *series; i++)
    if (!strcmp(key, series[i].key)) return read_series(series[i].series, rest), 1;
  return 0;
}

static void read_device_line(Device *device, const char *key, const char *rest) {
  unsigned long long total = 0, used = 0, reserved = 0;
  if (read_figure(device, key, rest)) return;
  if (!strcmp(key, "name")) snprintf(device->name, NAME, "%.95s", rest);
  else if (!strcmp(key, "uuid")) snprintf(device->uuid, NAME, "%.95s", rest);
  else if (!strcmp(key, "bus")) snprintf(device->bus, sizeof device->bus, "%.31s", rest);
  else if (!strcmp(key, "serial")) snprintf(device->serial, sizeof device->serial, "%.31s", rest);
  else if (!strcmp(key, "cc")) sscanf(rest, "%d.%d", &device->major, &device->minor);
  else if (!strcmp(key, "pcie")) sscanf(rest, "%u %u", &device->generation, &device->width);
  else if (!strcmp(key, "proc")) read_process(device, rest);
  else if (!strcmp(key, "mig")) read_mig(device, rest);
  else if (!strcmp(key, "nullhandle")) device->null_handle = 1;
  else if (!strcmp(key, "mem")) {
    sscanf(rest, "%llu %llu %llu", &total, &used, &reserved);
    device->total = total << 20, device->used = used << 20, device->reserved = reserved << 20;
  }
}

static void load(void) {
  char line[4096];
  Device *device = NULL;
  if (loaded) return;
  loaded = 1, cuda_version = 12040;
  strcpy(driver_version, "550.54.15");
  strcpy(nvml_version, "12.550.54.15");
  const char *path = getenv("FAKE_NVML");
  FILE *file = path ? fopen(path, "r") : NULL;
  if (!file) {
    init_code = DRIVER_NOT_LOADED;
    return;
  }
  while (fgets(line, sizeof line, file)) {
    char key[32], rest[2048] = "";
    line[strcspn(line, "#\r\n")] = 0;
    if (sscanf(line, " %31s %2047[^\n]", key, rest) < 1) continue;
    for (int i = (int)strlen(rest); i > 0 && rest[i - 1] == ' '; i--) rest[i - 1] = 0;
    if (!strcmp(key, "driver")) snprintf(driver_version, sizeof driver_version, "%.79s", rest);
    else if (!strcmp(key, "nvml")) snprintf(nvml_version, sizeof nvml_version, "%.79s", rest);
    else if (!strcmp(key, "cuda")) cuda_version = atoi(rest);
    else if (!strcmp(key, "init")) init_code = atoi(rest);
    else if (!strcmp(key, "dev") && device_count < MAX_DEVICES) {
      devices[device_count] = device = new_device(device_count);
      device_count++;
    }
    else if (!strcmp(key, "fault") || !strcmp(key, "hang") || !strcmp(key, "crash")) read_fault(device, key, rest);
    else if (device) read_device_line(device, key, rest);
  }
  fclose(file);
}

/* The code with which a fault answers this call, or -1 when the call goes through. Called with the lock held. */
static int strike(Fault *fault, const char *function) {
  if (strcmp(fault->function, function) && strcmp(fault->function, "*")) return -1;
  int call = ++fault->calls;
  if (call <= fault->after || (fault->duration >= 0 && call > fault->after + fault->duration)) return -1;
  if (fault->crash) raise(SIGSEGV);
  if (fault->sleep_ms) {
    pthread_mutex_unlock(&lock);
    usleep(1000u * fault->sleep_ms);
    pthread_mutex_lock(&lock);
    return -1;
  }
  return fault->code;
}

static int strike_any(Fault *list, int count, const char *function) {
  for (int i = 0; i < count; i++) {
    int code = strike(&list[i], function);
    if (code > 0) return code;
  }
  return OK;
}

int gate(const char *function, Device *device, int needs_device) {
  pthread_mutex_lock(&lock);
  int code = initialised ? strike_any(faults, fault_count, function) : UNINITIALIZED;
  if (code == OK && needs_device && !device) {
    if (getenv("FAKE_NVML_STRICT")) raise(SIGSEGV);
    code = INVALID_ARGUMENT;
  }
  if (code == OK && device && device->magic != MAGIC) code = INVALID_ARGUMENT;
  if (code == OK && device) code = strike_any(device->faults, device->fault_count, function);
  const char *log = getenv("FAKE_NVML_LOG");
  FILE *file = log ? fopen(log, "a") : NULL;
  if (file) {
    fprintf(file, "%s %d %d\n", function, device ? device->index : -1, code);
    fclose(file);
  }
  pthread_mutex_unlock(&lock);
  return code;
}

/* Forget everything: the next nvmlInit reads FAKE_NVML again. */
int fakeNvmlReset(void) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < device_count; i++) {
    for (int j = 0; j < devices[i]->mig_count; j++) free(devices[i]->mig[j]);
    free(devices[i]);
  }
  device_count = fault_count = initialised = loaded = init_code = 0;
  pthread_mutex_unlock(&lock);
  return OK;
}

int nvmlInitWithFlags(unsigned flags) {
  (void)flags;
  pthread_mutex_lock(&lock);
  load();
  int code = init_code ? init_code : strike_any(faults, fault_count, "nvmlInit_v2");
  if (code == OK) initialised++;
  pthread_mutex_unlock(&lock);
  return code;
}
int nvmlInit_v2(void) { return nvmlInitWithFlags(0); }
int nvmlInit(void) { return nvmlInitWithFlags(0); }
int nvmlShutdown(void) {
  if (!initialised) return UNINITIALIZED;
  initialised--;
  return OK;
}
