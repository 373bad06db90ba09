/* The vocabulary of a shop: Cyrillic, emoji of one and of several code points, all that JSON
 * escapes. */
#include "words.h"

#include <assert.h>
#include <stddef.h>

const struct shelf shelves[SHELF_COUNT] = {
    {"Кофе и чай ☕", "Кофе зерновой", "gram", "goods", "100 % арабика"},
    {"Молоко и сыр 🧀", "Сыр полутвёрдый", "gram", "marked_goods",
     "молоко пастеризованное, соль, закваска, фермент"},
    {"Хлеб и выпечка 🥐", "Круассан", "piece", "goods",
     "мука пшеничная, масло сливочное 82,5 %"},
    {"Овощи и фрукты 🍎", "Яблоко", "kilogram", "goods", "яблоко свежее"},
    {"Напитки 🥤", "Лимонад", "liter", "marked_goods", "вода, сахар, сок лимона, E330"},
    {"Вино 🍷", "Вино сухое", "liter", "excise", "виноматериал, диоксид серы"},
    {"Мясо и рыба 🐟", "Филе лосося", "kilogram", "goods", "лосось атлантический"},
    {"Готовая еда 🍲", "Борщ с говядиной", "gram", "goods", "свёкла, капуста, говядина, сметана"},
    {"Сладости 🍫", "Шоколад", "gram", "goods", "какао тёртое, сахар, ваниль"},
    {"Соусы и масла 🫒", "Масло оливковое", "milliliter", "marked_goods",
     "масло оливковое Extra Virgin"},
    {"Одежда 👕", "Футболка", "piece", "marked_goods", ""},
    {"Обувь 👟", "Кеды", "piece", "marked_goods", ""},
    {"Дом и кухня 🍳", "Сковорода", "piece", "goods", ""},
    {"Детям 🧸", "Конструктор", "piece", "goods", ""},
    {"Красота 💄", "Крем для рук", "milliliter", "goods", ""},
    {"Услуги 🛠️", "Упаковка подарка", "piece", "service", ""},
};

const char *const word_brands[] = {
    "Северный лес", "Три кита", "Ёлка & Со",  "Маяк",      "Dolce \"Vita\"", "Степь", "Гжель",
    "Белая ночь",   "Kühn",     "Чудо-ягода", "Артель №7", "Лукоморье",      NULL,
};

const char *const word_colors[] = {
    "красный", "синий", "зелёный", "чёрный", "белый", "бирюзовый", "жёлтый", "серый", NULL,
};

const char *const word_sizes[] = {"XS", "S", "M", "L", "XL", "XXL", NULL};

const char *const word_volumes[] = {"0,25 л", "0,33 л", "0,5 л", "0,75 л", "1 л", "2 л", NULL};

const char *const word_adjectives[] = {
    "классический", "домашний",    "особый",     "фермерский", "лёгкий",
    "деревенский",  "праздничный", "без сахара", "большой",    NULL,
};

const char *const word_countries[] = {
    "Россия", "Беларусь", "Армения", "Грузия", "Италия", "Côte d’Ivoire", "Türkiye", "中国", NULL,
};

const char *const word_allergens[] = {
    "глютен", "молоко", "яйца", "орехи", "соя", "рыба", "сельдерей", "горчица", NULL,
};

const char *const word_tags[] = {
    "новинка ✨",
    "хит 🔥",
    "острое 🌶️",
    "веган 🌱",
    "семья 👨‍👩‍👧",
    "скидка",
    "сезон",
    NULL,
};

const char *const word_sentences[] = {
    "Сделано небольшими партиями, чтобы на полке всегда стояло свежее.",
    "Хранить при температуре от +2 до +6 °C; после вскрытия — не дольше 48 часов.",
    "Рецепт не менялся с 1987 года: «просто, честно, вкусно».",
    "Подходит для подарка 🎁 и для себя.",
    "Производитель оставляет за собой право менять вид упаковки.\n",
    "Габариты: 120×80×45 мм;\tмасса брутто — на этикетке.",
    "Наши покупатели ставят ⭐⭐⭐⭐⭐ и возвращаются.",
    "Артикул поставщика указан в поле \"sku\", путь к фото — C:\\photo\\.",
    "Не содержит ГМО, консервантов и искусственных красителей.",
    "Срок годности смотрите на дне банки 🥫.",
    NULL,
};

const char *const word_marking_groups[] = {
    "milk", "shoes", "clothes", "water", "beer", "tobacco", "perfume", NULL,
};

unsigned word_count(const char *const *list)
{
    unsigned count = 0;

    while (list[count])
        count++;
    assert(count > 0);
    return count;
}

const char *word_at(const char *const *list, unsigned index)
{
    return list[index % word_count(list)];
}
