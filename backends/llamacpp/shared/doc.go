// Package shared finds, checks and opens the shared libraries of a llama.cpp in a folder.
package shared
