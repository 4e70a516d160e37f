"""Files carried from the watched folder to the library, without ever overwriting one or losing one."""
