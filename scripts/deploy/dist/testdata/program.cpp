// What GCC's libraries and proctor ask of the C library, in one program: it prints a word for each that works.
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <random>
#include <resolv.h>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <thread>

static std::string said;

struct initialised {
	initialised() { puts("constructor"); }
	~initialised() { puts("destructor"); }
} global;

__attribute__((constructor(101))) static void first() { puts("first"); }

static void throwing() { throw std::runtime_error("exception"); }

// The unwinder has to find its way through a library.
static void through_library() {
	int numbers[2] = {2, 1};
	try {
		qsort(numbers, 2, sizeof numbers[0], [](const void *, const void *) -> int { throw std::string("through"); });
	} catch (const std::string &caught) {
		puts(caught.c_str());
	}
}

static const char *catching() {
	try {
		throwing();
	} catch (const std::exception &caught) {
		said = caught.what();
	}
	return said.c_str();
}

int main(int argc, char **argv) {
	puts(catching());
	through_library();
	std::thread([] { puts(catching()); }).join();
	std::shared_mutex mutex;
	std::shared_lock lock(mutex);
	static std::once_flag once;
	std::call_once(once, [] { puts("once"); });
	pthread_attr_t attributes;
	void *stack;
	size_t size;
	if (pthread_getattr_np(pthread_self(), &attributes) == 0 && pthread_attr_getstack(&attributes, &stack, &size) == 0 && size > 0) {
		puts("stack");
	}
	cpu_set_t cpus;
	if (pthread_getaffinity_np(pthread_self(), sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 0) {
		puts("affinity");
	}
	std::random_device random;
	if (random() != random() || random() != random()) {
		puts("random");
	}
	struct stat status;
	if (std::filesystem::file_size(argv[0]) > 0 && stat(argv[0], &status) == 0 && lstat("/nowhere/at/all", &status) != 0) {
		puts("files");
	}
	if (fabs(exp(log(argc + 1.0)) - 2) < 1e-12 && pow(argc + 1.0, 3) == 8 && log2(argc + 1.0) == 1) {
		puts("numbers");
	}
	void *library = dlopen("libm.so.6", RTLD_NOW);
	if (library != nullptr && dlsym(library, "cos") != nullptr && dlsym(library, "no such") == nullptr && dlerror() != nullptr) {
		puts("library");
	}
	unsigned char answer[512];
	puts(res_search("localhost", 1, 1, answer, sizeof answer) < (int) sizeof answer ? "resolver" : "");
}
